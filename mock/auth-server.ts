import type { IncomingMessage, ServerResponse } from 'node:http';
import { readTarget } from '@lockstep/runtime/http-message';
import { parseUrlEncoded } from '@lockstep/runtime/validation/parse-url-encoded';
import { readPreferences } from './choose-example.ts';

/** A server that answers all requests below its base path. */
export interface AuthServer {
  /** `/auth` */
  readonly basePath: string;
  readonly callback: (request: IncomingMessage, response: ServerResponse) => void;
}

/** Whether a path is the base itself or below it. */
export function isBelow(basePath: string, path: string): boolean {
  return path === basePath || path.startsWith(`${basePath}/`);
}

/** Whether a request is for the authorization server: below its base path, and without a preference for a documented answer. */
export function isForAuthServer({ basePath }: AuthServer, { url = '/', headersDistinct }: IncomingMessage): boolean {
  const { path, queryText } = readTarget(url);
  if (!isBelow(basePath, path)) return false;
  const preferences = readPreferences(headersDistinct.prefer?.join(','), parseUrlEncoded(queryText));
  return Object.keys(preferences).length === 0;
}
