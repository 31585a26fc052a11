const text = { type: 'string', minLength: 1, maxLength: 80 };

/** A value that the schema of every item allows. */
export const oneItem = { id: 'thing-01', name: 'Thing', size: 3, at: '2026-04-01T09:30:00Z' };

/**
 * A contract of any size in which each resource has four operations (list, create, read, replace) and inline schemas of its own, no two
 * alike: some 700 bytes an operation.
 */
export function writeContract(operations: number): string {
  const paths = Object.fromEntries(
    Array.from({ length: Math.ceil(operations / 4) }, (_, index) => {
      const item = {
        type: 'object',
        required: ['id', 'name'],
        properties: {
          id: { type: 'string', pattern: '^[a-z0-9-]{8,20}$' },
          name: text,
          size: { type: 'integer', minimum: 0 },
          at: { type: 'string', format: 'date-time' },
          [`note${index}`]: text,
        },
      };
      const content = { content: { 'application/json': { schema: item } } };
      const answers = (status: number) => ({ responses: { [status]: { description: '', ...content } } });
      const body = { requestBody: { required: true, ...content } };
      const id = { name: 'id', in: 'path', required: true, schema: item.properties.id };
      return [
        [
          `/things${index}`,
          {
            get: { parameters: [{ name: 'q', in: 'query', schema: text }], ...answers(200) },
            post: { ...body, ...answers(200) },
          },
        ],
        [`/things${index}/{id}`, { parameters: [id], get: answers(200), put: { ...body, ...answers(200) } }],
      ] as const;
    }).flat(),
  );
  return JSON.stringify({ openapi: '3.1.0', info: { title: 'Things', version: '1' }, paths });
}
