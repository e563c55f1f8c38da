import { z } from 'zod';
import { reject } from '../../errors.ts';
import type { PermissionDefinition } from '../../permission/definition.ts';
import { initialPermissions } from '../../permission/definition.ts';
import type { ProjectConfig, ProjectSecrets, ProjectSettings } from '../config.ts';
import { type ConfigLevel, defaultProjectConfig, defaultProjectSettings, noProjectSecrets } from '../config.ts';
import { type DocumentedProject, documentPermissions, fields } from './fields.ts';
import {
  type Document,
  findDifferences,
  isAtOrBelow,
  isObject,
  type Json,
  type Layer,
  overrideLayer,
  pathsOf,
  resolveLayers,
} from './layers.ts';

export type ConfigLayers = Readonly<Record<ConfigLevel, Layer>>;
export const noLayers: ConfigLayers = { project: {}, branch: {}, environment: {} };
/** The parts of a project that the document shows. */
export type Configured = {
  config: ProjectConfig;
  secrets: ProjectSecrets;
  settings: ProjectSettings;
  permissions: readonly PermissionDefinition[];
};

export const documented = ({ config, secrets, settings, permissions }: Configured): DocumentedProject => ({
  config,
  secrets,
  settings,
  permissions: documentPermissions(permissions),
});

const newProject = documented({
  config: defaultProjectConfig,
  secrets: noProjectSecrets,
  settings: defaultProjectSettings,
  permissions: initialPermissions,
});

/** The document of a project. Entries keep the names that they have in `named`. */
function readDocument(project: DocumentedProject, named: Document): Document {
  return fields.reduce<Document>((document, { path, read }) => {
    const value = read(project, named);
    return value === undefined ? document : placeAt(document, path.split('.'), value);
  }, {});
}

function placeAt(document: Document, [key = '', ...rest]: readonly string[], value: Json): Document {
  const child = document[key];
  return { ...document, [key]: rest.length === 0 ? value : placeAt(isObject(child) ? child : {}, rest, value) };
}

const records = fields.filter(({ entries }) => entries !== undefined);
/** Fields without a value in a layer have the value of a new project. */
const base = {
  defaults: readDocument(newProject, {}),
  isInRecord: (path: readonly string[]) => records.some((record) => path.join('.').startsWith(`${record.path}.`)),
  isReplaced: (path: readonly string[]) =>
    records.some((record) => record.entries === 'replace' && path.join('.') === record.path),
};
const resolve = ({ project, branch, environment }: ConfigLayers) => resolveLayers([project, branch, environment], base);

const documentSchema = schemaOf('');

/** All fields below a path. Unknown fields are rejected. */
function schemaOf(above: string): z.ZodType {
  const field = fields.find(({ path }) => path === above);
  if (field) return field.schema;
  const below = fields.filter(({ path }) => above === '' || path.startsWith(`${above}.`));
  const depth = above === '' ? 0 : above.split('.').length;
  const keys = [...new Set(below.map(({ path }) => path.split('.')[depth] ?? ''))];
  return z.strictObject(Object.fromEntries(keys.map((key) => [key, schemaOf(above === '' ? key : `${above}.${key}`)])));
}

/** The project with what a document describes. @returns faults, by path, if the document is invalid */
function writeDocument(
  document: Document,
  start: DocumentedProject,
): { project: DocumentedProject } | { faults: string[] } {
  const parsed = documentSchema.safeParse(document);
  if (!parsed.success) return { faults: parsed.error.issues.map(faultOf) };
  const valid = parsed.data as Document;
  const project = fields.reduce<DocumentedProject>((before, { path, write }) => {
    const value = path.split('.').reduce<Json | undefined>((v, key) => (isObject(v) ? v[key] : undefined), valid);
    return write(before, value as never);
  }, start);
  return { project };
}

function faultOf(issue: z.core.$ZodIssue): string {
  const path = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') return `${path} has unknown fields: ${issue.keys.join(', ')}`;
  return `${path}: ${issue.message}`;
}

/** The whole configuration of a project as a document, and its layers as they are now. */
export function readConfig(project: Configured, stored: ConfigLayers): { document: Document; layers: ConfigLayers } {
  const resolved = resolve(stored);
  const written = writeDocument(resolved, newProject);
  const document = readDocument(documented(project), resolved);
  const described = 'project' in written ? readDocument(written.project, resolved) : base.defaults;
  return { document, layers: withDirectChanges(stored, findDifferences(described, document)) };
}

/** Settings that were changed without the document count as set in the environment: a later push does not undo them. */
function withDirectChanges(stored: ConfigLayers, differences: Layer): ConfigLayers {
  const changesAt = (wanted: ConfigLevel) =>
    Object.fromEntries(
      Object.entries(differences).filter(
        ([path]) => (levelOf(path.split('.')) === 'project' ? 'project' : 'environment') === wanted,
      ),
    );
  return {
    project: overrideLayer(stored.project, changesAt('project')),
    branch: stored.branch,
    environment: overrideLayer(stored.environment, changesAt('environment')),
  };
}

/** The first level that can set a path; `any` above all fields, null for an unknown path. */
function levelOf(path: readonly string[]): ConfigLevel | 'any' | null {
  const text = path.join('.');
  const field = fields.find((candidate) => isAtOrBelow(text, candidate.path));
  if (!field) return fields.some((candidate) => candidate.path.startsWith(`${text}.`)) ? 'any' : null;
  const entryKey = path[field.path.split('.').length + 1];
  return entryKey !== undefined && field.environmentKeys?.includes(entryKey) ? 'environment' : field.level;
}

const settable: Record<ConfigLevel, readonly ConfigLevel[]> = {
  project: ['project'],
  branch: ['branch'],
  environment: ['branch', 'environment'],
};

/** @throws DomainError SCHEMA_ERROR that names each fault with its path */
export function checkLayer(level: ConfigLevel, layer: Layer): void {
  const faults = pathsOf(layer).flatMap((path) => {
    const first = levelOf(path.split('.'));
    if (first === null) return [`${path} is unknown`];
    return first === 'any' || settable[level].includes(first) ? [] : [`${path} can only be set at the level ${first}`];
  });
  if (faults.length > 0) rejectFaults(faults);
}

/** The project with what the layers describe. @throws DomainError SCHEMA_ERROR that names each fault with its path */
export function applyLayers(layers: ConfigLayers, project: DocumentedProject): DocumentedProject {
  const written = writeDocument(resolve(layers), project);
  return 'faults' in written ? rejectFaults(written.faults) : written.project;
}

function rejectFaults(faults: readonly string[]): never {
  return reject('SCHEMA_ERROR', {
    message: `The configuration has faults:\n${faults.map((f) => `  - ${f}`).join('\n')}`,
  });
}
