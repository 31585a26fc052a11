/** How whoever started the program says port and host: what an address stands behind. */
export interface ListenWords {
  readonly port: string;
  readonly host: string;
}

const options: ListenWords = { port: '--port ', host: '--host ' };

/**
 * Why nobody could listen at an address, and what would do: for whoever started the program.
 *
 * @param words those of options of a command line, where they are left out; `{ port: 'PORT=', host: 'HOST=' }` of the environment
 * @returns undefined where it is something else that failed. A code speaks of port or host only where listening, or looking the host up,
 * brought it
 */
export function explainListen(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
  words: ListenWords = options,
): string | undefined {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  const noAddress = `${host || 'An empty text'} is not an address of this machine. Try ${words.host}127.0.0.1`;
  const reasons: Readonly<Record<string, string>> = {
    'listen EADDRINUSE': `Port ${port} on ${host} is taken. Stop what listens there, or choose another: ${words.port}${port === 65_535 ? 8091 : port + 1}`,
    'listen EACCES': `Port ${port} needs more rights than this user has. Choose one from 1024 on: ${words.port}8090`,
    'listen EADDRNOTAVAIL': noAddress,
    'getaddrinfo ENOTFOUND': noAddress,
  };
  if (code === 'ERR_SOCKET_BAD_PORT') return `A port is a number from 0 to 65535. Choose one: ${words.port}8080`;
  return reasons[`${syscall} ${code}`];
}
