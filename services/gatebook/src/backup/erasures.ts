import { createHash } from 'node:crypto';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { Context, WriteDeps } from '@gatebook/commands/deps';
import { deleteProject } from '@gatebook/commands/project/delete-project';
import { eraseTeam } from '@gatebook/commands/team/delete-team';
import { eraseUser } from '@gatebook/commands/user/delete-user';
import { DomainError } from '@gatebook/domain/errors';
import type { Pool } from '@gatebook/runtime/postgres';
import { StartError } from '../embedded/data-folder.ts';
import { writeTo } from './files.ts';

/**
 * A list of erasures is lines of JSON: a header, one line per erased subject or project, and a trailer. It has random
 * IDs and times, and no personal data.
 */
const format = 'gatebook erasures 1';
const idsPerPage = 1000;

type Header = { format: string; installation: string; createdAt: string };
type Erasure = { subject: string; at: string } | { project: string; at: string };
type Trailer = { count: number; digest: string };

type ExportParts = {
  pool: Pool;
  installation: string;
  /** Only erasures from this time on (ISO); null: all. */
  since: string | null;
};

/** Lists the subjects and projects that were erased. @returns their number */
export async function exportErasures({ pool, installation, since }: ExportParts, output: Writable): Promise<number> {
  const hash = createHash('sha256');
  let count = 0;
  async function write(line: Header | Erasure | Trailer): Promise<void> {
    const text = `${JSON.stringify(line)}\n`;
    hash.update(text);
    await writeTo(output, text);
  }
  await write({ format, installation, createdAt: new Date().toISOString() });
  for (const [kind, sql] of await listsIn(pool)) {
    for (let after = ''; ; ) {
      const { rows } = await pool.query<{ id: string; at: Date }>(sql, [after, since, idsPerPage]);
      for (const { id, at } of rows) {
        await write(kind === 'subject' ? { subject: id, at: at.toISOString() } : { project: id, at: at.toISOString() });
      }
      count += rows.length;
      after = rows.at(-1)?.id ?? '';
      if (rows.length < idsPerPage) break;
    }
  }
  await write({ count, digest: hash.copy().digest('base64url') });
  return count;
}

/** Projects come first: deleting one covers its users. */
async function listsIn(pool: Pool): Promise<['subject' | 'project', string][]> {
  const { rows } = await pool.query<{ hasProjects: boolean }>(
    `select to_regclass('keys.erased_projects') is not null as "hasProjects"`,
  );
  const listOf = (id: string, table: string) =>
    `select ${id} as id, erased_at as at from ${table}
     where ${id} > $1 and erased_at is not null and ($2::timestamptz is null or erased_at >= $2) order by ${id} limit $3`;
  return [
    ...(rows[0]?.hasProjects ? [['project', listOf('project_id', 'keys.erased_projects')] as ['project', string]] : []),
    ['subject', listOf('subject_id', 'keys.subjects')],
  ];
}

/** The erasures of a list in pages. @throws StartError; if it is incomplete, only at its end */
export async function* readErasures(input: Readable, installation: string): AsyncGenerator<readonly Erasure[]> {
  const hash = createHash('sha256');
  let hasHeader = false;
  let count = 0;
  let page: Erasure[] = [];
  for await (const line of createInterface({ input })) {
    const parsed = parse(line);
    if (!hasHeader) rejectOtherList(parsed, installation);
    else if ('count' in parsed) {
      if (parsed.digest !== hash.digest('base64url') || parsed.count !== count) break;
      yield page;
      return;
    } else if (!('format' in parsed)) {
      page.push(parsed);
      count += 1;
    }
    hasHeader = true;
    hash.update(`${line}\n`);
    if (page.length < idsPerPage) continue;
    yield page;
    page = [];
  }
  throw damaged();
}

function rejectOtherList(header: Header | Erasure | Trailer, installation: string): void {
  if (!('format' in header) || header.format !== format)
    throw new StartError('The list of erasures was not made by "gatebook erasures export".');
  if (header.installation !== installation)
    throw new StartError('The list of erasures belongs to another installation.');
}

const damaged = () => new StartError('The list of erasures is cut off or damaged.');

function parse(line: string): Header | Erasure | Trailer {
  try {
    return JSON.parse(line);
  } catch {
    throw damaged();
  }
}

type ApplyParts = { pool: Pool; write: WriteDeps };

/**
 * Erases again what a restored backup brought back: deletes users, teams and projects that exist in it, so that their
 * addresses are free and their rows go, and destroys the keys of all listed subjects. Safe to repeat.
 * @returns the number of keys that were destroyed
 */
export async function applyErasures({ pool, write }: ApplyParts, erasures: readonly Erasure[]): Promise<number> {
  for (const erasure of erasures) if ('project' in erasure) await removeProject(write, erasure.project);
  const { rows } = await pool.query<{ id: string }>(
    'select subject_id as id from keys.subjects where subject_id = any($1) and wrapped is not null',
    [erasures.flatMap((erasure) => ('subject' in erasure ? [erasure.subject] : []))],
  );
  for (const { id } of rows) {
    await removeUserOrTeam(write, id);
    await write.eraseSubject(id);
  }
  return rows.length;
}

const contextOf = (projectId: string, id: string): Context => ({
  projectId,
  actor: { kind: 'system', id: null },
  requestId: `erasure ${id}`,
});

async function removeUserOrTeam(write: WriteDeps, id: string): Promise<void> {
  for (const [stream, remove] of [
    [`user-${id}`, (ctx: Context) => eraseUser(write, ctx, { userId: id })],
    [`team-${id}`, (ctx: Context) => eraseTeam(write, ctx, { teamId: id })],
  ] as const) {
    for await (const [created] of write.store.readStreamPages(stream)) {
      if (created) await ifPresent(() => remove(contextOf(created.metadata.projectId, id)));
      break;
    }
  }
}

const removeProject = (write: WriteDeps, projectId: string) =>
  ifPresent(() => deleteProject(write, contextOf(projectId, projectId)));

/** What is deleted already is rejected. */
async function ifPresent(remove: () => Promise<unknown>): Promise<void> {
  try {
    await remove();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
  }
}
