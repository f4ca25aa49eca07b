export { dialog } from './dialog.js';
export { english, type Words } from './words.js';
