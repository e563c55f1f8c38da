import type { ConfigSourceView } from '@gatebook/contract/project-config';
import { reject } from '@gatebook/domain/errors';
import type { ConfigSource } from '@gatebook/domain/project/config';
import { isObject, type Layer } from '@gatebook/domain/project/config-document/layers';
import { parseStrictJson } from '../../http/strict-json.ts';

const keyForm = /^[\w:$][\w:$-]*$/;

/** @throws DomainError SCHEMA_ERROR that names the field, and the path in it */
export function parseLayer(field: string, text: string): Layer {
  const value = parse(field, text);
  if (!isObject(value)) return rejectConfig(`body.${field} must be a JSON object`);
  for (const [key, inner] of Object.entries(value)) {
    if (!key.split('.').every((part) => keyForm.test(part))) rejectConfig(`body.${field}: ${key} is not a valid key`);
    checkValue(`body.${field}: ${key}`, inner);
  }
  return value;
}

function parse(field: string, text: string): unknown {
  try {
    return parseStrictJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return rejectConfig(`body.${field} is not valid JSON: ${error.message}`);
  }
}

/** Dots separate fields only in the keys of the whole document. */
function checkValue(path: string, value: unknown): void {
  if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) {
    rejectConfig(`${path} contains characters that can’t be stored`);
  }
  if (Array.isArray(value)) for (const inner of value) checkValue(path, inner);
  if (!isObject(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    if (!keyForm.test(key)) rejectConfig(`${path}.${key} is not a valid key`);
    checkValue(`${path}.${key}`, inner);
  }
}

const rejectConfig = (message: string): never => reject('SCHEMA_ERROR', { message });

export function toSource(source: ConfigSource): ConfigSourceView {
  if (source.type !== 'pushed-from-github') return source;
  const { type, owner, repo, branch, commitHash, configFilePath, workflowPath } = source;
  const place = { type, owner, repo, branch, commit_hash: commitHash, config_file_path: configFilePath };
  return workflowPath === undefined ? place : { ...place, workflow_path: workflowPath };
}

export function fromSource(view: ConfigSourceView): ConfigSource {
  if (view.type !== 'pushed-from-github') return view;
  const { type, owner, repo, branch, commit_hash, config_file_path, workflow_path } = view;
  const place = { type, owner, repo, branch, commitHash: commit_hash, configFilePath: config_file_path };
  return workflow_path === undefined ? place : { ...place, workflowPath: workflow_path };
}
