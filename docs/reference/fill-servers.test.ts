import { describe, expect, test } from 'vitest';
import { parseDocument } from 'yaml';
import { fillPlainServers, fillServers, findOrigin } from './fill-servers.ts';

const table = [
  {
    name: 'puts the default of a variable into the origin, and leaves nothing of it',
    given: 'servers:\n  - url: http://localhost:{port}/v1 # here\n    variables: {port: {default: "8080"}}\n',
    want: 'servers:\n  - url: http://localhost:8080/v1 # here\n',
    origin: 'http://localhost:8080',
  },
  {
    name: 'leaves variables of the path',
    given: 'servers: [{url: "https://{at}.example/{base}", variables: {at: {default: api}, base: {default: v1}}}]\n',
    want: 'servers: [{url: "https://api.example/{base}", variables: {base: {default: v1}}}]\n',
    origin: 'https://api.example',
  },
  {
    name: 'leaves a variable that the path has too',
    given: 'servers: [{url: "https://{at}.example/{at}", variables: {at: {default: a}}}]\n',
    want: 'servers: [{url: "https://a.example/{at}", variables: {at: {default: a}}}]\n',
    origin: 'https://a.example',
  },
  {
    name: 'does so for the servers of a path and of an operation',
    given: 'paths: {/a: {servers: [{url: "http://{h}/b", variables: {h: {default: c}}}]}}\n',
    want: 'paths: {/a: {servers: [{url: "http://c/b"}]}}\n',
    origin: null,
  },
  {
    name: 'leaves what has no variables, a path, and what is no server',
    given: 'servers: [{url: /v1}]\nproperties: {servers: {type: array}}\n',
    want: 'servers: [{url: /v1}]\nproperties: {servers: {type: array}}\n',
    origin: null,
  },
];

describe('fillServers', () => {
  for (const { name, given, want, origin } of table) {
    test(name, () => {
      const document = parseDocument(given);
      const plain: unknown = document.toJS();
      expect(fillPlainServers(plain)).toEqual(fillServers(document));
      expect(plain).toEqual(document.toJS());
      expect(document.toString({ flowCollectionPadding: false, lineWidth: 0 })).toBe(want);
      expect(findOrigin(document)).toBe(origin);
    });
  }
});
