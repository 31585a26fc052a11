// One handler for each operation of the contract. A missing handler, an undeclared status or member does not compile. Replace `notImplemented` by
// `({ path, query, headers, body, principal }) => ({ status: 200, body: … })`.
import { notImplemented } from '@lockstep/runtime/rejection';
import { defineHandlers } from './generated/handlers.gen.ts';
import type { Principal } from './security.ts';

export const handlers = defineHandlers<Principal>()({
  // GET /v1/books: Books that stand in the room
  listBooks: notImplemented,

  // POST /v1/books: Put a book on the shelf
  addBook: notImplemented,

  // GET /v1/books/{bookId}: One book
  'read-book': notImplemented,
});
