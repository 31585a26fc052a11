export { escapeHtml } from '../pages/html.ts';
