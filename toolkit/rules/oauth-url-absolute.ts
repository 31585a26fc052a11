import { isObject } from '@lockstep/json/json-pointer';
import type { Oas3Rule } from 'redocly-core';
import { entriesOf } from './reading/dereference.ts';

const flowUrls = ['authorizationUrl', 'tokenUrl', 'refreshUrl'] as const;

/**
 * OAuth and OpenID Connect addresses are absolute. express-openapi-validator refuses a relative `tokenUrl`, yet the
 * application starts and answers every request with 500.
 */
export const oauthUrlAbsolute: Oas3Rule = () => ({
  SecurityScheme(node, { report, location }) {
    const scheme: unknown = node;
    if (!isObject(scheme)) return;
    const urls: [readonly string[], unknown][] = [[['openIdConnectUrl'], scheme.openIdConnectUrl]];
    for (const [flow, flowObject] of entriesOf(scheme.flows)) {
      if (!isObject(flowObject)) continue;
      for (const name of flowUrls) urls.push([['flows', flow, name], flowObject[name]]);
    }
    for (const [path, url] of urls) {
      if (typeof url !== 'string' || isAbsolute(url)) continue;
      report({
        message: `The ${path.at(-1)} ${url} is not an absolute http or https URL.`,
        suggest: ['Write scheme, host and path in full.'],
        location: location.child([...path]),
      });
    }
  },
});

function isAbsolute(url: string): boolean {
  return /^https?:\/\//i.test(url) && URL.canParse(url);
}
