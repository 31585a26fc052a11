/**
 * Why nobody could listen at an address, and what would do: for whoever started the program.
 *
 * @returns undefined where it is something else that failed. A code speaks of port or host only where listening, or looking the host up,
 * brought it
 */
export function explainListen(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
): string | undefined {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  const noAddress = `${host} is not an address of this machine. Try --host 127.0.0.1`;
  const reasons: Readonly<Record<string, string>> = {
    'listen EADDRINUSE': `Port ${port} on ${host} is taken. Stop what listens there, or choose another: --port ${port === 65_535 ? 8091 : port + 1}`,
    'listen EACCES': `Port ${port} needs more rights than this user has. Choose one from 1024 on: --port 8090`,
    'listen EADDRNOTAVAIL': noAddress,
    'getaddrinfo ENOTFOUND': noAddress,
  };
  return reasons[`${syscall} ${code}`];
}
