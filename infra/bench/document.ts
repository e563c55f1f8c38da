import { execFileSync } from 'node:child_process';
import { arch, availableParallelism, cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

/** Where and when a section was measured, and with how many users. */
export type Setting = { date: string; commit: string; machine: string; users: number };

/** Measured code: a commit that lacks changes to it does not tell what was measured. */
const measured = ['services', 'infra', 'package-lock.json'];

export function currentSetting(users: number): Setting {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: fileURLToPath(new URL('.', import.meta.url)), encoding: 'utf8' }).trim();
  const isChanged = git('status', '--porcelain', '--', ...measured.map((path) => `:/${path}`)) !== '';
  const [cpu] = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: `${git('rev-parse', '--short', 'HEAD')}${isChanged ? ' with changes' : ''}`,
    machine: `${availableParallelism()} cores of ${cpu?.model.trim() ?? arch()}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}`,
    users,
  };
}

const beginOf = (section: string) => `<!-- measured: ${section} -->`;
const end = '<!-- end -->';

/** Replaces the generated part of a section. @throws Error when the document has no such section */
export function replaceSection(document: string, section: string, content: string): string {
  const begin = beginOf(section);
  const start = document.indexOf(begin);
  const stop = document.indexOf(end, start);
  if (start < 0 || stop < 0) throw new Error(`the document has no section "${begin} … ${end}"`);
  return `${document.slice(0, start + begin.length)}\n${content}\n${document.slice(stop)}`;
}

/** What stands in a section: where it was measured, the table, the closing line. */
export function toSection({ date, commit, machine, users }: Setting, table: string, closing: string): string {
  const population = users > 0 ? `, ${users.toLocaleString('en-US')} users` : '';
  return `Measured on ${date} at commit ${commit}: ${machine}${population}.\n\n${table}\n\n${closing}.`;
}
