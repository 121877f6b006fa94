/** `npm run failover`: the long form. With `--weakness NAME` it must find losses. */
import { makeRandom } from '../crash/random.ts';
import { readArguments, readChoice, readCount } from '../support/command-line.ts';
import { type FaultKind, faultKinds } from './fault-kinds.ts';
import { runFailover } from './run-failover.ts';
import { weaknessNames } from './weaknesses.ts';

const help = `Usage: npm run failover -- [options]

  --faults N       faults, each kind once before any comes again (20)
  --weakness NAME  ${weaknessNames.join(' or ')}: breaks the promise, and must find losses
  --seed N         repeats a run (random)
  --help`;

const { values } = readArguments(
  {
    options: {
      faults: { type: 'string', default: '20' },
      seed: { type: 'string', default: String(Date.now() % 1e9) },
      weakness: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  },
  help,
);
const faultCount = readCount('--faults', values.faults);
const seed = readCount('--seed', values.seed, 0);
const weakness = values.weakness === undefined ? undefined : readChoice('--weakness', values.weakness, weaknessNames);
const kinds = Object.keys(faultKinds) as [FaultKind, ...FaultKind[]];
const random = makeRandom(seed);
// Each kind once before any comes a second time.
const bag: FaultKind[] = [];
const faults = Array.from({ length: faultCount }, () => {
  if (bag.length === 0) bag.push(...kinds);
  return bag.splice(random.integer(0, bag.length - 1), 1)[0] ?? kinds[0];
});
console.log(`seed          ${seed}${weakness === undefined ? '' : `, weakened: ${weakness}`}`);
let done = 0;
const { acknowledged, races, writableMs, ...findings } = await runFailover({
  seed,
  faults,
  weakness,
  onFault: (fault, report) => {
    done += 1;
    const broken = Object.values(report).reduce<number>(
      (sum, each) => sum + (Array.isArray(each) ? each.length : 0),
      0,
    );
    console.log(
      `${String(done).padStart(3)} ${fault.padEnd(52)} ${report.acknowledged} acknowledged, ${broken} violations`,
    );
  },
});
const { lost, invented, torn, contended, wrong, changes, service } = findings;
const lines = [
  `faults        ${faults.length}`,
  `acknowledged  ${acknowledged}`,
  `lost          ${lost.length}`,
  `invented      ${invented.length}`,
  `torn          ${torn.length} (with counts and search)`,
  `contended     ${races} ids, ${contended.length} decided wrongly`,
  `wrong answers ${wrong.length}`,
  `change log    ${changes.length} differences`,
  `service       ${service.length} restarts or wrong answers of /readyz`,
  `writable      ${(writableMs / 1000).toFixed(1)} s after a promotion or another fault, at most`,
];
const details = Object.values(findings).flatMap((each) => each.slice(0, 5));
console.log([...lines, ...details].join('\n'));
const isBroken = details.length > 0;
if (isBroken !== (weakness !== undefined)) process.exitCode = 1;
console.log(isBroken ? 'VIOLATIONS WERE FOUND.' : 'No violation was found.');
