import { joinPointer } from '../contract/document.ts';
import { coversMediaType, essenceOf } from '../contract/media-type.ts';
import { headerOf } from '../execute/exchange.ts';
import { classOf, type Failure } from '../failures/failure.ts';
import { declaredAnswerOf, hasContent, listedSuccesses } from './answered.ts';
import type { ExchangeCheck } from './check.ts';

export const mediaType: ExchangeCheck = {
  name: 'media-type',
  about: 'content without a media type, with a malformed one, or with one that the response does not list',
  plan: ({ responses }) =>
    listedSuccesses(responses)
      .filter(({ contents }) => contents.length > 0)
      .map(({ status, pointer }) => ({ place: `response ${status}`, pointer, keyword: 'content' })),
  needs: (place) => `${place} with content`,
  judge: (exchange) => {
    const { answer, response } = declaredAnswerOf(exchange) ?? {};
    if (answer === undefined || response === undefined || !hasContent(exchange) || answer.body.length === 0) return [];
    const sent = headerOf(answer, 'content-type');
    const listed = response.contents.map((content) => content.mediaType);
    const place = `response ${response.status}`;
    const wanted = listed.join(' or ');
    const tell = (what: string, severity: Failure['severity'], says: string) => {
      const types = listed.map((type) => essenceOf(type) ?? type).sort();
      const failure: Failure = {
        check: 'media-type',
        severity,
        place: `response ${answer.status} header Content-Type`,
        pointer: joinPointer(response.pointer, 'content'),
        keyword: 'content',
        clause: 'RFC 9110 8.3',
        says,
        // Where none is declared, what came tells nothing of the omission.
        causes: [
          what === 'undeclared' ? [what] : [classOf(answer.status), what, essenceOf(sent ?? '') ?? '', ...types],
        ],
      };
      return [{ place, failures: [failure] }];
    };
    if (sent === undefined) {
      // A sender that knows the type says it; one that does not is allowed to be silent (RFC 9110, 8.3).
      const severity = listed.length > 0 ? 'defect' : 'suspect';
      return tell('none', severity, `content came without Content-Type${wanted && `, not as ${wanted}`}`);
    }
    if (essenceOf(sent) === undefined) return tell('malformed', 'defect', `"${sent}" is no media type`);
    // Nothing is said against content that no response describes; of a success a client would want to know.
    if (listed.length === 0) {
      if (answer.status >= 300) return [{ place, failures: [] }];
      return tell('undeclared', 'suspect', `content of type ${sent} came where none is declared`);
    }
    // What a malformed type of the contract means, nobody can say.
    const isListed = listed.some((type) => essenceOf(type) === undefined || coversMediaType(type, sent));
    return isListed
      ? [{ place, failures: [] }]
      : tell('unlisted', 'defect', `content came as ${sent}, not as ${wanted}`);
  },
};
