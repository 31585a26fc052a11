// One handler for each operation of the contract: one that is forgotten, a status that is not declared or a member too many does not
// compile. `({ path, query, headers, body, principal }) => ({ status: 200, body: … })` takes the place of `notImplemented`.
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
