import type { Question } from '../../approvals/question.js';
import type { Stage } from './stage.js';
export function startOnboarding(_stage: Stage, _question: Question): void {}
