import { benchAppend } from './append.ts';
import type { Bench } from './bench.ts';
import { benchBeside } from './beside.ts';
import { benchChecksums } from './checksums.ts';
import { benchMail } from './mail.ts';
import { benchRebuild } from './rebuild.ts';
import { benchRebuildUnderTraffic } from './rebuild-under-traffic.ts';
import type { Result } from './report.ts';
import { benchRoute } from './requests.ts';
import { benchIdle, benchLoadedMemory } from './resources.ts';
import { type RouteName, routes } from './routes.ts';
import { benchStart } from './start.ts';
import { benchStreams } from './streams.ts';
import { benchVisible } from './visible.ts';

export type Part = {
  run(bench: Bench): Promise<Result[]>;
  /** Whether it uses the two servers with the same users. */
  usesWorld?: boolean;
  /** Too long for a run of all parts: only by name. */
  isOnlyByName?: boolean;
};

const routeParts = Object.fromEntries(
  (Object.keys(routes) as RouteName[]).map((name): [RouteName, Part] => [
    name,
    { usesWorld: true, run: async (bench) => benchRoute(await bench.world(), name, bench.pace) },
  ]),
);

/** In this order, and by these names on the command line. */
export const parts: Readonly<Record<string, Part>> = {
  append: { run: async ({ freshDatabase, pace }) => benchAppend(await freshDatabase('append'), pace) },
  visible: { run: async ({ freshDatabase, scale }) => benchVisible(await freshDatabase('visible'), scale) },
  rebuild: { run: async ({ freshDatabase, scale }) => [await benchRebuild(await freshDatabase('rebuild'), scale)] },
  start: { run: async ({ freshDatabase, scale }) => benchStart(await freshDatabase('start'), scale) },
  idle: { run: ({ scale }) => benchIdle(scale) },
  ...routeParts,
  beside: { usesWorld: true, run: async ({ world, pace }) => benchBeside(await world(), pace) },
  memory: { usesWorld: true, run: async ({ world, pace }) => benchLoadedMemory(await world(), pace) },
  mail: { isOnlyByName: true, run: async ({ freshDatabase }) => benchMail(await freshDatabase('mail')) },
  streams: { isOnlyByName: true, run: async ({ freshDatabase }) => benchStreams(await freshDatabase('streams')) },
  checksums: { isOnlyByName: true, run: async ({ freshDatabase }) => benchChecksums(await freshDatabase('checksums')) },
  traffic: {
    isOnlyByName: true,
    run: async ({ freshDatabase }) => benchRebuildUnderTraffic(await freshDatabase('traffic')),
  },
};
