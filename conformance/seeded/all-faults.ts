import { accessFaults } from './access-faults.ts';
import { childFaults } from './child-faults.ts';
import { declaredFaults } from './declared-faults.ts';
import type { SeededFault } from './faults.ts';
import { inputFaults } from './input-faults.ts';
import { jobFaults } from './job-faults.ts';
import { libraryFaults } from './library-faults.ts';
import { listFaults } from './list-faults.ts';
import { marketFaults } from './market-faults.ts';
import { protocolFaults } from './protocol-faults.ts';
import { rateFaults } from './rate-faults.ts';
import { settingsFaults } from './settings-faults.ts';
import { storyFaults } from './story-faults.ts';
import { weatherFaults } from './weather-faults.ts';

/** Every seeded fault: each is found by one check. */
export const seededFaults: readonly SeededFault[] = [
  ...libraryFaults,
  ...weatherFaults,
  ...accessFaults,
  ...protocolFaults,
  ...declaredFaults,
  ...inputFaults,
  ...storyFaults,
  ...jobFaults,
  ...childFaults,
  ...rateFaults,
  ...settingsFaults,
  ...listFaults,
  ...marketFaults,
];
