import { Document, isMap, isScalar, isSeq, type Pair, visit, type YAMLMap } from 'yaml';

const template = /\{([^{}]*)\}/g;
const originPart = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/**
 * Puts the defaults of variables into the origin of every Server Object, in place: `http://localhost:{port}/v1` becomes
 * `http://localhost:8080/v1`, and `port` is gone. So the docs spell an origin in one way, and a server can replace it by its own. Variables of
 * the path stay.
 *
 * @returns the addresses that changed
 * @see OpenAPI 3.1, 4.8.5 and 4.8.6
 */
export function fillServers(document: Document): readonly Filled[] {
  const filled: Filled[] = [];
  visit(document, {
    Pair(_, { key, value }: Pair) {
      if (!isScalar(key) || key.value !== 'servers' || !isSeq(value)) return;
      for (const server of value.items) if (isMap(server)) filled.push(...fillServer(server));
    },
  });
  return filled;
}

/** `fillServers` for a plain value, changed in place. */
export function fillPlainServers(node: unknown): readonly Filled[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([name, value]) => {
    if (name !== 'servers' || !Array.isArray(value)) return fillPlainServers(value);
    const document = new Document({ servers: value });
    const filled = fillServers(document);
    if (filled.length > 0) (node as { servers?: unknown }).servers = document.toJS().servers;
    return filled;
  });
}

export interface Filled {
  readonly from: string;
  readonly to: string;
}

function fillServer(server: YAMLMap): readonly Filled[] {
  const url = String(server.get('url'));
  const [origin = ''] = originPart.exec(url) ?? [];
  const path = url.slice(origin.length);
  const filled = origin.replaceAll(template, (whole, name: string) => {
    const preset = server.getIn(['variables', name, 'default']);
    if (preset === undefined) return whole;
    if (!path.includes(whole)) server.deleteIn(['variables', name]);
    return String(preset);
  });
  if (filled === origin) return [];
  server.set('url', filled + path);
  const variables = server.get('variables');
  if (isMap(variables) && variables.items.length === 0) server.delete('variables');
  return [{ from: url, to: filled + path }];
}

/** The origin of the first server; null if its address is a path. */
export function findOrigin(document: Document): string | null {
  const url = document.getIn(['servers', 0, 'url']);
  const [origin = ''] = originPart.exec(String(url)) ?? [];
  return /^https?:/i.test(origin) && URL.canParse(origin) ? origin : null;
}
