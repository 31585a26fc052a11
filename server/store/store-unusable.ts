import { WrongUse } from '@lockstep/shell/wrong-use';

/**
 * The reason why a database can't be opened. Unlike `StoreUnavailable` it does not pass: the process should not start.
 *
 * - `missing`: no such folder or database, or the path is not a file
 * - `empty`: a file without a database in it, or a database without tables, and the caller does not want a new one
 * - `corrupt`: not a database, or a damaged one
 * - `foreign`: a database of some other program
 * - `altered`: its tables, indexes, triggers or views are not those of the migrations
 * - `incomplete`: a copy into it is unfinished
 * - `filled`: a copy needs an empty database
 * - `newer`: written by a later version of this code, which may have changed the meaning of columns
 * - `older`: a copy needs the schema of this code
 * - `read_only`: the file or its folder can't be written to, or the server is a standby
 * - `unreachable`: the database server does not answer, or its TLS does not fit
 * - `denied`: the database server rejects the user, or the user has no privilege
 * - `locked`: another process has it locked for longer than opening waits
 * - `open`: this process has it open already, and a second connection would block the first for good
 * - `other_keys`: it was served with another key file, whose secrets this one can't replace
 * - `unsafe`: the database refuses a setting that durability or integrity depends on
 */
export type UnusableReason =
  | 'missing'
  | 'empty'
  | 'corrupt'
  | 'foreign'
  | 'altered'
  | 'incomplete'
  | 'filled'
  | 'older'
  | 'newer'
  | 'read_only'
  | 'unreachable'
  | 'denied'
  | 'locked'
  | 'open'
  | 'other_keys'
  | 'unsafe';

/** A database that the server must not use. The message is a sentence for the operator. */
export class StoreUnusable extends WrongUse {
  override readonly name = 'StoreUnusable';
  readonly reason: UnusableReason;

  constructor(reason: UnusableReason, message: string, options?: ConstructorParameters<typeof WrongUse>[1]) {
    super(message, options);
    this.reason = reason;
  }
}
