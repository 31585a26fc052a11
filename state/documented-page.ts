import { type ContractTools, jsonContentOf, type StateOperation, successOf } from './contract-tools.ts';
import { type ListShape, readListShape } from './list-shape.ts';
import { once } from './once.ts';
import { type Part, replaceAtPlace, type SchemaReader, valueAtPlace } from './read-schemas.ts';
import { createShowPage, cutPage, listingOf, type Target } from './show-page.ts';
import { nounOf, readTemplate } from './template.ts';

/** The query of a request, and its address. */
interface Asked extends Target {
  readonly query: Readonly<Record<string, unknown>>;
}

interface Paged {
  readonly answer: Parameters<SchemaReader['findList']>[0];
  readonly list: Part;
  readonly shape: ListShape;
}

/** Cuts documented lists to the page that a request asks for: lists of texts, and lists without items of their own. */
export function createDocumentedPage(tools: ContractTools, reader: SchemaReader) {
  const showPage = createShowPage(reader);
  const readPaged = once((operation: StateOperation): { readonly paged: Paged | undefined } => {
    const content = operation.method === 'get' ? jsonContentOf(successOf(tools, operation)) : undefined;
    if (content === undefined) return { paged: undefined };
    const answer = reader.nodeOf(content.schema);
    const noun = nounOf(readTemplate(operation.path).segments);
    const list = reader.isOnly(answer, 'array') ? { place: [], node: answer } : reader.findList(answer, noun);
    const shape = readListShape(reader, operation, new Map());
    return { paged: list === undefined || shape.pageSize === undefined ? undefined : { answer, list, shape } };
  });

  return {
    isPaged: (operation: StateOperation): boolean => readPaged(operation).paged !== undefined,
    /** @returns the same body if it has no such list, or if its schema accepts no page of it */
    cut: (operation: StateOperation, asked: Asked, body: unknown): unknown => {
      const { paged } = readPaged(operation);
      if (paged === undefined) return body;
      const { answer, list, shape } = paged;
      const values = valueAtPlace(body, list.place);
      const names = [shape.limit, shape.page?.parameter, shape.offset?.parameter, shape.cursor];
      const isAsked = names.some((name) => name !== undefined && asked.query[name] !== undefined);
      if (!Array.isArray(values) || !isAsked) return body;
      const all = values.map((value: unknown, index) => ({ key: String(index + 1), value }));
      const found = cutPage(shape, asked.query, listingOf(all), true);
      if (found === undefined) return body;
      const items = found.items.map(({ value }) => value);
      const whole = replaceAtPlace(body, list.place, items);
      const page = showPage.body(answer, list, whole, items, { page: found.page, shape, target: asked });
      return reader.accepts(page, answer) ? page : body;
    },
  };
}
