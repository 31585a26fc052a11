/** The prefixes of port and host in the program's options or environment. */
export interface ListenWords {
  readonly port: string;
  readonly host: string;
}

const options: ListenWords = { port: '--port ', host: '--host ' };

/**
 * Explains to the operator why the program can't listen at an address, with a fix.
 *
 * @param words by default those of command-line options; for the environment `{ port: 'PORT=', host: 'HOST=' }`
 * @returns undefined for any other error. A code is about port or host only if listening or the look-up of the host threw it
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
