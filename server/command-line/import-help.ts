/** What follows the options in `import --help`: the file, member by member. `commands/import-schema.ts` says the same to the validator. */
export const importHelp = `
{"account": {"id", "name"},
 "properties": [{"id": 24 hexadecimal digits, "name", "timezone": IANA name or null}],
 "devices": [{"deviceId", "deviceName", "type": Lock, Keypad or Bridge, "id": 24 hexadecimal digits,
   "properties": [ids; the first gives the timezone], "links": [deviceIds: of a bridge its locks and keypads, at most 5; of a lock its keypads],
   "capabilities": {"algoPin", "passagePin"}, "batteryLevel": 0 to 100, "online": of a bridge, "pairedAt": RFC 3339}]}

Needed are account, ids, names and type. Whatever else is left out stays as it is stored, so that a file may be imported again and again;
null, [] and false take away. What a file doesn't name stays as it is. A new device has a full battery and was paired now, a new bridge is
online. Properties and links may be of this file, or stored already.

All of the file is checked before anything is written: a file with a fault changes nothing. Then it is written in batches of some
milliseconds, so that a server on the same database goes on. Ended in between (Ctrl-C, a database that others hold for over a minute, a
name that somebody took meanwhile) it says how far it came, with exit code 1. Each device is whole by then or as it was, but for links,
which come last; run again, it completes the rest.

Codes issued before follow the clock of their device; how many of them get another is told.`;
