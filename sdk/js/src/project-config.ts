import type { ConfigSourceView } from '@gatebook/contract/project-config';
import type { Send } from './transport.ts';

/** The level `branch` is the pushed file. A later level takes precedence. */
export type ConfigLevel = 'project' | 'branch' | 'environment';
/** Keys are paths with dots, such as `auth.password.allowSignIn`, or objects of fields. */
export type ConfigDocument = Readonly<Record<string, unknown>>;
/** Where the level `branch` was pushed from. */
export type ConfigSource =
  | {
      type: 'pushed-from-github';
      owner: string;
      repo: string;
      branch: string;
      commit_hash: string;
      config_file_path: string;
      workflow_path?: string | undefined;
    }
  | { type: 'pushed-from-unknown' }
  | { type: 'unlinked' };

/** The configuration of a project as a document; requires admin access. */
export type ConfigClient = {
  /** The settings in force, with secrets. */
  find(): Promise<ConfigDocument>;
  findLevel(level: ConfigLevel): Promise<ConfigDocument>;
  /** Replaces the level. */
  replace(level: ConfigLevel, config: ConfigDocument, source?: ConfigSource): Promise<void>;
  /** A key replaces everything below it; null resets it. */
  update(level: ConfigLevel, changes: ConfigDocument): Promise<void>;
  /** The keys then have the value of the level before, or the default. */
  reset(level: ConfigLevel, keys: readonly string[]): Promise<void>;
  findSource(): Promise<ConfigSource>;
  /** The pushed configuration stays in force. */
  unlinkSource(): Promise<void>;
};

const path = '/internal/config';
const overridePath = (level: ConfigLevel) => `${path}/override/${level}`;

export const configClient = (send: Send): ConfigClient => {
  const read = async (from: string): Promise<ConfigDocument> =>
    JSON.parse((await send<{ config_string: string }>('GET', from)).config_string);
  return {
    find: () => read(path),
    findLevel: (level) => read(overridePath(level)),
    replace: async (level, config, source) => {
      await send('PUT', overridePath(level), { config_string: JSON.stringify(config), source });
    },
    update: async (level, changes) => {
      await send('PATCH', overridePath(level), { config_override_string: JSON.stringify(changes) });
    },
    reset: async (level, keys) => {
      await send('POST', `${overridePath(level)}/reset-keys`, { keys });
    },
    findSource: async () => (await send<{ source: ConfigSourceView }>('GET', `${path}/source`)).source,
    unlinkSource: async () => {
      await send('DELETE', `${path}/source`, {});
    },
  };
};
