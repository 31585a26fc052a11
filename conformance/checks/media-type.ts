import { joinPointer } from '../contract/document.ts';
import { coversMediaType, essenceOf } from '../contract/media-type.ts';
import { headerOf } from '../execute/exchange.ts';
import type { Failure } from '../failures/failure.ts';
import { answerOf, hasContent, listedSuccesses } from './answered.ts';
import type { ExchangeCheck } from './check.ts';

export const mediaType: ExchangeCheck = {
  name: 'media-type',
  about: 'content without a media type, with a malformed one, or with one that the response does not list',
  plan: ({ responses }) =>
    listedSuccesses(responses)
      .filter(({ contents }) => contents.length > 0)
      .map(({ status }) => `response ${status}`),
  needs: (place) => `${place} with content`,
  judge: (exchange) => {
    const { answer, response } = answerOf(exchange) ?? {};
    if (answer === undefined || response === undefined || !hasContent(exchange) || answer.body.length === 0) return [];
    const sent = headerOf(answer, 'content-type');
    const listed = response.contents.map((content) => content.mediaType);
    const place = `response ${response.status}`;
    const fail = (keyword: string, severity: Failure['severity'], says: string): Failure => ({
      check: 'media-type',
      severity,
      place: `response ${answer.status} header Content-Type`,
      pattern: `${answer.status} ${keyword} ${essenceOf(sent ?? '') ?? ''}`,
      pointer: joinPointer(response.pointer, 'content'),
      keyword: 'content',
      clause: 'RFC 9110 8.3',
      says,
      isShared: true,
    });
    const wanted = listed.join(' or ');
    if (sent === undefined) {
      // A sender that knows the type says it; one that does not is allowed to be silent (RFC 9110, 8.3).
      const severity = listed.length > 0 ? 'defect' : 'suspect';
      return [
        {
          place,
          failures: [fail('none', severity, `content came without Content-Type${wanted && `, not as ${wanted}`}`)],
        },
      ];
    }
    if (essenceOf(sent) === undefined)
      return [{ place, failures: [fail('malformed', 'defect', `"${sent}" is no media type`)] }];
    if (listed.length === 0) {
      return [
        { place, failures: [fail('undeclared', 'suspect', `content of type ${sent} came where none is declared`)] },
      ];
    }
    const isListed = listed.some((declared) => coversMediaType(declared, sent));
    return [
      { place, failures: isListed ? [] : [fail('unlisted', 'defect', `content came as ${sent}, not as ${wanted}`)] },
    ];
  },
};
