let isAsked = false;
let replaceAll = (): void => {
  isAsked = true;
};

/**
 * SIGHUP asks `serve --processes` to replace its processes. A program without a listener is killed by the signal, and systemd does not start it
 * again. So the program listens before it loads anything else, and keeps the signal until all processes run.
 *
 * @param args those of the program
 */
export function listenForHangUp(args: readonly string[]): void {
  if (args[0] !== 'serve' || !args.some((arg) => arg.startsWith('--processes'))) return;
  process.on('SIGHUP', () => replaceAll());
}

/** From now on SIGHUP calls `act`; at once if it came before. */
export function onHangUp(act: () => void): void {
  replaceAll = act;
  if (isAsked) act();
}
