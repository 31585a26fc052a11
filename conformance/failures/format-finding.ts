import type { Finding } from './finding.ts';

/** The message of a finding: what, where, which sentence, what was sent and answered, and how to send it again. */
export function formatFinding(finding: Finding): string {
  const { check, severity, operations, operation, place, pointer, line, keyword, clause, says, count } = finding;
  const also = operations.filter((other) => other !== operation);
  const more =
    also.length === 0
      ? ''
      : `  (and ${also.length} more: ${also.slice(0, 6).join(', ')}${also.length > 6 ? ', …' : ''})`;
  const times = count === 1 ? '' : `, seen ${count} times`;
  const lines = [
    `${severity === 'suspect' ? 'suspect: ' : ''}${check}   ${operation}   ${place}   ${keyword}${clause === undefined ? '' : `   ${clause}`}${more}`,
    `  ${says}`,
    `  contract  ${pointer}  line ${line}`,
    `  sent      ${finding.sent}`,
    `  answered  ${finding.answered}`,
    `  request ${finding.detectedAtRequest}, ${(finding.detectedAtMs / 1000).toFixed(2)} s (${finding.label})${times}   ${finding.id}`,
    `  ${finding.curl}`,
  ];
  return lines.join('\n');
}
