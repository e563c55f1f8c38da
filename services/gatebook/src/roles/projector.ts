import { projectingSettings, type RunningProjector, startProjector } from '@gatebook/projector/projector';
import { mainGroup } from '@gatebook/readmodel/projection-groups';
import { createPool } from '@gatebook/runtime/postgres';
import type { Traffic } from '@gatebook/runtime/traffic';
import type { Log } from '../open-log.ts';
import type { Settings } from './settings.ts';

const projectingConnections = 6;

/** Leads or stands by. `traffic`: of the people that this process answers too. */
export function startProjectorIn(
  { store }: Log,
  { databases: { projector: databaseUrl }, logger, shutdown }: Settings,
  traffic?: Traffic,
): RunningProjector {
  const pool = createPool(databaseUrl, {
    max: projectingConnections,
    name: 'gatebook projector',
    settings: projectingSettings,
  });
  shutdown.add('projecting connections', () => pool.end());
  const projector = startProjector({
    set: mainGroup,
    store,
    pool,
    databaseUrl,
    logger: logger.child({ component: 'projector' }),
    ...(traffic && { isBusy: traffic.isBusy }),
  });
  shutdown.add('projector', () => projector.stop());
  return projector;
}
