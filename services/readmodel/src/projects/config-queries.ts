import type { ConfigLevel, ConfigSource } from '@gatebook/domain/project/config';
import { type ConfigLayers, noLayers } from '@gatebook/domain/project/config-document/document';
import type { Layer } from '@gatebook/domain/project/config-document/layers';
import { defineQuery, type ReadDb } from '../read-db.ts';

const configOverridesQuery = defineQuery({
  name: 'list-config-overrides',
  sql: (schema: string) =>
    `select c.level, c.override, c.source from ${schema}.config_overrides c where c.project_id = $1`,
});

export type StoredConfig = { layers: ConfigLayers; source: ConfigSource };

/** The configuration document as written, by level, and where it was pushed from. */
export async function findStoredConfig(db: ReadDb, projectId: string): Promise<StoredConfig> {
  type Row = { level: ConfigLevel; override: Layer; source: ConfigSource | null };
  const rows = await db.rows<Row>(configOverridesQuery, [projectId]);
  const layers = Object.fromEntries(rows.map(({ level, override }) => [level, override]));
  const source = rows.find(({ level }) => level === 'branch')?.source ?? { type: 'unlinked' };
  return { layers: { ...noLayers, ...layers }, source };
}
