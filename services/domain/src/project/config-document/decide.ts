import type { ConfigLevel, ConfigSource } from '../config.ts';
import type { ProjectEvent } from '../events.ts';
import type { ActiveProject } from '../state.ts';
import { isSameJson, type Layer } from './layers.ts';

/** `source` is undefined where it does not change. Other commands change the settings. */
type ChangeConfigOverride = {
  type: 'ChangeConfigOverride';
  level: ConfigLevel;
  override: Layer;
  source?: ConfigSource | undefined;
  at: string;
};
type UnlinkConfigSource = { type: 'UnlinkConfigSource'; at: string };
export type ConfigDocumentCommand = ChangeConfigOverride | UnlinkConfigSource;

export function decideConfigDocument(command: ConfigDocumentCommand, project: ActiveProject): readonly ProjectEvent[] {
  if (command.type === 'ChangeConfigOverride') return changeConfigOverride(command, project);
  if (project.configSource.type === 'unlinked') return [];
  return [{ type: 'ConfigSourceUnlinked', data: { projectId: project.projectId, at: command.at } }];
}

function changeConfigOverride(
  { level, override, source: given, at }: ChangeConfigOverride,
  { projectId, subjectId, configLayers, configSource }: ActiveProject,
): readonly ProjectEvent[] {
  const source = level === 'branch' ? (given ?? configSource) : null;
  const isSameSource = source === null || isSameJson(source, configSource);
  if (isSameJson(override, configLayers[level]) && isSameSource) return [];
  return [
    {
      type: 'ConfigOverrideChanged',
      data: { projectId, subjectId, level, override: asEventData(override), source, at },
    },
  ];
}

type EventData = Extract<ProjectEvent, { type: 'ConfigOverrideChanged' }>['data']['override'];
const asEventData = (layer: Layer) => layer as EventData;
