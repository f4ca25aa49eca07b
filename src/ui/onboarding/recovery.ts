import type { Stage } from './stage.js';
export function startRecovery(_stage: Stage): void {}
