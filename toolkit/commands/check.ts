import { type CheckResult, check as compare, type Drift } from '../check.ts';
import { readContract } from '../contract/read-contract.ts';
import { derive } from '../derive.ts';
import { type CommandResult, defaults, type Target } from './command.ts';

/** A difference longer than this is cut on screen: the first lines name the place, `--json` has all. */
const diffLines = 40;

/** `lockstep check`: derives again in memory and names every file that differs, the contract lines behind it, and the cure. */
export async function check(target: Target): Promise<CommandResult> {
  const contract = await readContract(target.contract);
  const derived = await derive(contract, target.out);
  const result = await compare(contract, derived, target.out);
  if (result.drifts.length === 0) {
    const text = `${target.out}: ${derived.size} files match ${target.contract}`;
    return { exitCode: 0, text, json: { drifts: [], changes: [], cure: null } };
  }
  const cure = formatCure(target);
  return { exitCode: 1, text: formatResult(result, target, cure), json: { ...result, cure } };
}

function formatResult({ drifts, changes }: CheckResult, { contract }: Target, cure: string): string {
  const reason =
    changes.length > 0
      ? [
          'Contract lines behind it:',
          ...changes.map(({ file, line, pointer, says }) => `  ${file}:${line} ${pointer}\n    ${says}`),
        ]
      : drifts.some(({ kind }) => kind === 'changed')
        ? [`${contract} is the one they were derived from: they were edited by hand, or a tool has another version.`]
        : [];
  const unexpected = drifts.some(({ kind }) => kind === 'unexpected');
  return [
    ...drifts.map(formatDrift),
    ...(reason.length === 0 ? [] : ['', ...reason]),
    '',
    `Cure: ${cure}`,
    ...(unexpected ? ['      and move what is unexpected out of that folder: nothing in it is written by hand.'] : []),
  ].join('\n');
}

const headlines: Readonly<Record<Drift['kind'], string>> = {
  changed: 'differs from what the contract says',
  missing: 'is missing',
  unexpected: 'is derived from nothing',
};

function formatDrift({ file, kind, diff }: Drift): string {
  const lines = diff === '' ? [] : diff.split('\n');
  const more = lines.length - diffLines;
  return [
    `${file} ${headlines[kind]}`,
    ...lines.slice(0, diffLines),
    ...(more > 0 ? [`... ${more} more lines`] : []),
  ].join('\n');
}

function formatCure({ contract, out }: Target): string {
  const options = [
    ...(contract === defaults.contract ? [] : [`--contract ${contract}`]),
    ...(out === defaults.out ? [] : [`--out ${out}`]),
  ];
  return ['npm run generate', ...(options.length === 0 ? [] : ['--', ...options])].join(' ');
}
