import { reject } from '@gatebook/domain/errors';
import type { ConfigLevel, ConfigSource } from '@gatebook/domain/project/config';
import { applyLayers, checkLayer, documented, readConfig } from '@gatebook/domain/project/config-document/document';
import type { DocumentedPermission, DocumentedProject } from '@gatebook/domain/project/config-document/fields';
import { isSameJson, type Layer, overrideLayer, resetKeys } from '@gatebook/domain/project/config-document/layers';
import { type ProjectCommand, projectDecider } from '@gatebook/domain/project/decide';
import type { CommandResult, Context, WriteDeps } from '../deps.ts';
import { transact } from '../execute.ts';
import { streamOf } from '../streams.ts';
import { decideOnProject } from './project.ts';

/** Larger documents than any form of the dashboard can make, far below the size of an event. */
const maxOverrideLength = 65_536;

type ConfigChange = { level: ConfigLevel } & (
  | { kind: 'replace'; override: Layer; source?: ConfigSource | undefined }
  | { kind: 'merge'; override: Layer }
  | { kind: 'reset'; keys: readonly string[] }
);

/**
 * Changes one level of the configuration document of the project `ctx.projectId`, and every setting that the document
 * now describes differently, by the same commands as other changes of settings.
 * @throws DomainError SCHEMA_ERROR with the path of each fault; PROJECT_NOT_FOUND and the errors of `updateProject` and
 * of permission definitions
 */
export async function changeConfigDocument(
  deps: WriteDeps,
  ctx: Context,
  { level, ...change }: ConfigChange,
): Promise<CommandResult> {
  const at = deps.now();
  if (change.kind !== 'reset') checkLayer(level, change.override);
  const { position } = await transact(deps, ctx, async (work) => {
    const project = await work.load(projectDecider, streamOf.project(ctx.projectId));
    const { state } = project;
    if (state.status !== 'active') return reject('PROJECT_NOT_FOUND', { project_id: ctx.projectId });
    const { layers: before } = readConfig(state, state.configLayers);
    const layers = { ...before, [level]: changedLayer(before[level], change) };
    checkSize(layers[level]);
    const source = change.kind === 'replace' ? change.source : undefined;
    for (const each of ['project', 'branch', 'environment'] as const) {
      const override = layers[each];
      project.decide({ type: 'ChangeConfigOverride', level: each, override, at, ...(each === level && { source }) });
    }
    const [now, wanted] = [documented(state), applyLayers(layers, documented(state))];
    for (const command of commandsFor(now, wanted, deps.newId, at)) project.decide(command);
  });
  return { position };
}

/** The pushed configuration stays in force. @throws DomainError PROJECT_NOT_FOUND */
export async function unlinkConfigSource(deps: WriteDeps, ctx: Context): Promise<CommandResult> {
  const { position } = await decideOnProject(deps, ctx, [{ type: 'UnlinkConfigSource', at: deps.now() }]);
  return { position };
}

type LayerChange = { kind: 'replace' | 'merge'; override: Layer } | { kind: 'reset'; keys: readonly string[] };

function changedLayer(layer: Layer, change: LayerChange): Layer {
  if (change.kind === 'reset') return resetKeys(layer, change.keys);
  return change.kind === 'replace' ? change.override : overrideLayer(layer, change.override);
}

function checkSize(override: Layer): void {
  if (JSON.stringify(override).length <= maxOverrideLength) return;
  reject('SCHEMA_ERROR', { message: `The configuration is longer than ${maxOverrideLength} characters.` });
}

/** Definitions first: default lists name them. Deletions come before, so that nothing keeps what is deleted. */
function commandsFor(
  now: DocumentedProject,
  wanted: DocumentedProject,
  newId: () => string,
  at: string,
): ProjectCommand[] {
  const { config, secrets, settings } = wanted;
  return [
    ...definitionCommands(now, wanted, newId, at),
    { type: 'ChangeConfig', config, secrets, at },
    { type: 'ChangeSettings', settings, at },
  ];
}

function definitionCommands(
  { permissions: now }: DocumentedProject,
  { permissions: wanted }: DocumentedProject,
  newId: () => string,
  at: string,
): ProjectCommand[] {
  const isKept = (id: string) => now[id]?.scope === wanted[id]?.scope;
  const deleted = Object.entries(now).filter(([id]) => !isKept(id));
  const added = Object.entries(wanted).filter(([id]) => !isKept(id));
  const changed = Object.entries(wanted).filter(([id, after]) => !isSameDefinition(now[id], after));
  return [
    ...deleted.map(([id, { scope }]) => ({ type: 'DeletePermission' as const, scope, id, at })),
    // Without content at first, because added definitions can contain each other.
    ...added.map(([id, { scope, description }]) => {
      return { type: 'DefinePermission' as const, key: newId(), scope, id, description, contained: [], at };
    }),
    ...changed.map(([id, { scope, description, contained }]) => {
      return { type: 'RedefinePermission' as const, scope, id, change: { description, contained }, at };
    }),
  ];
}

const isSameDefinition = (before: DocumentedPermission | undefined, after: DocumentedPermission) =>
  before?.scope === after.scope &&
  before.description === after.description &&
  isSameJson([...before.contained].sort(), [...after.contained].sort());
