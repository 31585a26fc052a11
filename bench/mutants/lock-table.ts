/** A lock or a condition in the source, the code without it, and the test that has to fail then. */
export interface RemovedLock {
  readonly name: string;
  readonly file: string;
  /** Occurs once in the file. */
  readonly from: string;
  readonly to: string;
  readonly test: {
    readonly file: string;
    /** Part of the test's name, as after `-t`: a regular expression. */
    readonly name: string;
  };
}

type Row = readonly [name: string, file: string, from: string, to: string, testName: string];

/** By the file of the test. */
const tables: Readonly<Record<string, readonly Row[]>> = {
  // Conditions that the database evaluates again on the newest version of a row, and locks of rows that a transaction reads and then changes.
  'server/store/postgres/conditions.integration.test.ts': [
    [
      'a code is used once',
      'store/oidc.ts',
      ".where('consumed_at', 'is', null),\n  );",
      ',\n  );',
      'the use of a code',
    ],
    ['a secret is replaced once', 'store/clients.ts', "          .where('metadata', '=', from)\n", '', 'a new secret'],
    [
      'a client id is given once',
      'store/clients.ts',
      "          .onConflict((conflict) => conflict.column('client_id').doNothing())\n",
      '',
      'a new client$',
    ],
    [
      'an e-mail is given once',
      'store/owners.ts',
      "    .onConflict((conflict) => conflict.column('email_key').doNothing())\n",
      '',
      'a new owner',
    ],
    [
      'a pairing is raised once',
      'store/devices/devices.ts',
      "          .where('pairing_generation', '=', from)\n",
      '',
      'a new pairing',
    ],
    [
      'a key check is kept once',
      'store/key-check.ts',
      "        .onConflict((conflict) => conflict.column('id').doNothing())\n",
      '',
      'the keeping of the key check',
    ],
    [
      'the memory of a lock is compared',
      'store/lock-memories.ts',
      "            .where('lock_memory.sealed', '=', before as Uint8Array),\n",
      '',
      'the memory of a lock',
    ],
    [
      'a counter has its limit',
      'store/counters.ts',
      "'<', integer(use.limit)",
      "'<', integer(1e9)",
      'the last use that a limit leaves',
    ],
    [
      'an idempotency key is kept once',
      'store/jobs/idempotency-keys.ts',
      "            .where('idempotency_key.keep_until', '<=', now),",
      ',',
      'an idempotency key that had expired',
    ],
    [
      'a device is leased once',
      'store/jobs/lease-jobs.ts',
      "eb('job_lease.until', '<=', lease.now)",
      "eb('job_lease.until', '>', 0)",
      'the lease of a device',
    ],
    [
      'a lease that another process is taking is passed over',
      'store/jobs/lease-jobs.ts',
      '\n          .skipLocked(),',
      ',',
      'the lease of a device, for which nobody waits',
    ],
    [
      'a job is settled once',
      'store/jobs/settle-job.ts',
      "      .where('sealed_data', 'is not', null)\n",
      '',
      'the end of a job$',
    ],
    [
      'an ended job is not delivered',
      'store/jobs/jobs.ts',
      "      .where('status', '=', 'queued')\n",
      '',
      'the end of a job that is being delivered',
    ],
    [
      'a log entry is stored once',
      'store/activity/add-activity.ts',
      '      .onConflict((conflict) => conflict.doNothing()),\n',
      '',
      'an entry of a log',
    ],
    [
      'the last sync only grows',
      'store/devices/last-sync.ts',
      "      .where('last_sync_at', '<', at),",
      ',',
      'the time of a later sync',
    ],
    [
      'a revocation is kept for the longer time',
      'store/oidc.ts',
      "      .whereRef('excluded.keep_until', '>', 'revoked_grant.keep_until'),",
      ',',
      'the longer time of a revocation',
    ],
    [
      'a new grant survives an earlier revocation',
      'store/oidc.ts',
      ".where('grant_id', 'in', grants).where(isRevoked)",
      ".where('grant_id', 'in', grants)",
      'a grant that was given while',
    ],
    [
      'a second revocation finds nothing',
      'store/oidc.ts',
      "  if ((await named.select('grant_id').where(isRevoked).limit(1).execute()).length === 0) return 0;\n",
      '',
      'a revocation that finds nothing',
    ],
    [
      'jobs of another process are left to it',
      'store/jobs/lease-jobs.ts',
      "      .where('job_lease.holder', '=', holder)\n",
      '',
      'the lease of a device',
    ],
    [
      // PostgreSQL also spares a row that has moved from the place where it was selected.
      'a purge spares a renewed row',
      'store/delete-due.ts',
      `\${selected} and \${isDue(due)}\``,
      `(\${sql.join(key.map((one) => sql.ref(one)))}) in (select \${sql.join(key.map((one) => sql.ref(\`due.\${one}\`)))} from \${sql.table(table)} as due where \${isDue(place)} order by \${sql.ref(place)} limit \${atMost})\``,
      'whose purge was due',
    ],
    [
      'a purge spares a result',
      'store/jobs/purge-jobs.ts',
      [
        '      .where(',
        '        isSelected(',
        "          ['job_id'],",
        '          // Also a job more than a lifetime ahead: after the clock was set back, it would delay its device until that time comes again.',
        `          (columns) => sql\`select \${columns} from job as due where due.sealed_data is not null`,
        `            and (due.expires_at <= \${now} or due.created_at - \${now} > due.expires_at - due.created_at) limit \${atMost}\`,`,
        '        ),',
        '      )',
        '      // Again for the row itself, which another process may have settled since it was selected.',
        "      .where('sealed_data', 'is not', null),",
      ].join('\n'),
      `.where(sql<boolean>\`job_id in (select due.job_id from job as due where due.sealed_data is not null and due.expires_at <= \${now} limit \${atMost})\`),`,
      'the result of a job',
    ],
    [
      'a device is locked before its audit entries are read',
      'store/audit.ts',
      '          .modifyEnd(rowLock)\n',
      '',
      'the audit entry of a pairing',
    ],
    [
      'an owner is locked before a browser is stored',
      'store/owners.ts',
      'const [owner] = await lock({ id: browser.ownerId }, transaction);',
      "const [owner] = await transaction.selectFrom('owner').select('logins_valid_after as after').where('id', '=', browser.ownerId).execute();",
      'a logout, of which',
    ],
    [
      'devices are locked before an import reads them',
      'store/imports/imports.ts',
      "    .orderBy('device_id')\n    .modifyEnd(spelling.rowLock)\n",
      "    .orderBy('device_id')\n",
      'values of devices and properties',
    ],
    [
      'properties are locked before an import reads them',
      'store/imports/imports.ts',
      "    .where(among('id', propertyIds))\n    .modifyEnd(spelling.rowLock)\n",
      "    .where(among('id', propertyIds))\n",
      'values of devices and properties',
    ],
    [
      'imports wait for each other',
      'store/imports/imports.ts',
      "transactAlone(database, spelling, 'import'",
      "transactAlone(database, { ...spelling, onlyOne: () => [] }, 'import'",
      'no other account gets its device',
    ],
    [
      'an import waits for a new client',
      'store/imports/imports.ts',
      "transactAlone(database, spelling, 'import'",
      "transactAlone(database, { ...spelling, onlyOne: () => [] }, 'import'",
      'and a client is created first',
    ],
    [
      'a new client waits for an import',
      'store/clients.ts',
      "transactAlone(database, spelling, 'import'",
      "transactAlone(database, { ...spelling, onlyOne: () => [] }, 'import'",
      'no client gets the id',
    ],
  ],
  // Rules above the store, and those that need calls at once.
  'server/three-processes.integration.test.ts': [
    [
      'a lock is used again after a conflict',
      'bridge/open-locks.ts',
      'if (use.isSaved) return',
      'return',
      'use a lock one after the other',
    ],
    [
      'a guess is counted before it is judged',
      'oauth/limit-guesses.ts',
      'await whenAvailable(together.take(key, at));',
      'await whenAvailable(together.look(key, at));',
      'judge no more wrong passwords',
    ],
    [
      'a lease is looked at before each job',
      'bridge/job-runner.ts',
      'if (clock.now() >= until) return clock.now();',
      '',
      'run no further job after their lease',
    ],
    [
      'one process purges',
      'store/create-store.ts',
      '      if (rows[0]?.isTaken !== true) return false;\n',
      '',
      'have one that purges',
    ],
    [
      'a bridge is locked before its jobs are counted',
      'store/jobs/create-job.ts',
      '        await lockBridge(job, transaction);\n',
      '',
      'create exactly as many jobs',
    ],
    [
      'frequent counts are shared',
      'store/counters.ts',
      ' && !spelling.isShared',
      '',
      'count the quota of a client together',
    ],
  ],
  // The order of locks, without which two processes wait for each other.
  'server/store/postgres/lock-order.integration.test.ts': [
    [
      'an owner is locked before a change',
      'store/owners.ts',
      'if ((await lock({ id }, transaction)).length === 0) return undefined;',
      '',
      'an owner is locked first',
    ],
    [
      'a revocation locks its grant before its artifacts',
      'store/oidc.ts',
      '    // First: a concurrent revocation',
      "    await transaction.deleteFrom('oidc_artifact').where('grant_id', '=', of.grantId).execute();\n    // First: a concurrent revocation",
      'the revocation of a grant',
    ],
    [
      'revocations lock grants in one order',
      'store/oidc.ts',
      "        .orderBy('grant_id'),\n    )",
      '    )',
      'the revocation of several grants',
    ],
    [
      'log entries are written in one order',
      'store/activity/add-activity.ts',
      '.sort(byIdentity)',
      '',
      'a push of log entries',
    ],
    [
      'the devices of a job are locked in one order',
      'store/jobs/settle-job.ts',
      '[...new Set([bridgeId, deviceId])].sort()',
      '[...new Set([bridgeId, deviceId])]',
      'the end of a job, of its bridge',
    ],
    [
      'an import writes devices in one order',
      'store/imports/imports.ts',
      'devices.toSorted(byId)',
      'devices',
      'an import$',
    ],
    [
      'an import locks devices in one order',
      'store/imports/imports.ts',
      "    .orderBy('device_id')\n",
      '',
      'an import that reads',
    ],
    [
      'leases are taken in one order',
      'store/jobs/lease-jobs.ts',
      "          .orderBy('device_id'),\n",
      ',',
      'the leases of jobs',
    ],
  ],
  // The upgrade of the schema.
  'server/store/postgres/open-store.integration.test.ts': [
    [
      'migrations wait for each other',
      'store/migrations/migrate.ts',
      "transactAlone(database, spelling, 'migration'",
      "transactAlone(database, { ...spelling, onlyOne: () => [] }, 'migration'",
      'five processes that start at once',
    ],
    [
      'the version is read again under the lock',
      'store/migrations/migrate.ts',
      '      if ((await readVersion(transaction, spelling)) >= migration.version) return;\n',
      '      await readVersion(transaction, spelling);\n',
      'five processes that start at once',
    ],
  ],
  // Counts that all processes share, made those of one.
  'test/three-servers.integration.test.ts': [
    [
      'wrong passwords are counted together',
      'oauth/limit-guesses.ts',
      "openCounter('guesses-together',",
      "openCounter('guesses-together' + process.pid,",
      'as many wrong passwords',
    ],
    [
      'wrong secrets are counted together',
      'oauth/middleware/throttle-secrets.ts',
      "openCounter('client-secrets',",
      "openCounter('client-secrets' + process.pid,",
      'as many wrong client secrets',
    ],
    [
      'login requests are counted together',
      'oauth/middleware/throttle-logins.ts',
      "openCounter('login-requests',",
      "openCounter('login-requests' + process.pid,",
      'as many login requests',
    ],
    [
      'requests of a client are counted together',
      'http/account-quota.ts',
      "openCounter('account-quota',",
      "openCounter('account-quota' + process.pid,",
      'the quota of a client once',
    ],
  ],
};

export const locks: readonly RemovedLock[] = Object.entries(tables).flatMap(([test, rows]) =>
  rows.map(([name, file, from, to, testName]) => ({
    name,
    file: `server/${file}`,
    from,
    to,
    test: { file: test, name: testName },
  })),
);
