import { asOfHeaders, moment as momentForm } from '@gatebook/contract/as-of';
import type { Command } from 'commander';
import { type CliContext, CommandError, exitCodes } from './cli-context.ts';
import { type OwnerOptions, openOwnerApi, projectOption, queryOf } from './owner-api.ts';

type Owner = 'user' | 'team';
type AtOptions = OwnerOptions & { [Of in Owner]?: string };
/** `of`: whose things can be asked for. `needs`: whose must be named. */
type Paths = { list?: string; show?: (id: string) => string; showOnly?: string; of?: readonly Owner[]; needs?: Owner };

/** What can be read, with its paths in the API. */
const things: Readonly<Record<string, Paths>> = {
  users: { list: '/users', show: (id) => `/users/${id}`, of: ['team'] },
  teams: { list: '/teams', show: (id) => `/teams/${id}`, of: ['user'] },
  members: {
    list: '/team-member-profiles',
    show: (id) => `/team-member-profiles/${id.replace('.', '/')}`,
    of: ['user', 'team'],
  },
  channels: { list: '/contact-channels', of: ['user'] },
  sessions: { list: '/auth/sessions', of: ['user'], needs: 'user' },
  'user-api-keys': { list: '/user-api-keys', show: (id) => `/user-api-keys/${id}`, of: ['user'], needs: 'user' },
  'team-api-keys': { list: '/team-api-keys', show: (id) => `/team-api-keys/${id}`, of: ['team'], needs: 'team' },
  'team-permissions': { list: '/team-permissions', of: ['user', 'team'] },
  'project-permissions': { list: '/project-permissions', of: ['user'] },
  'team-permission-definitions': { list: '/team-permission-definitions' },
  'project-permission-definitions': { list: '/project-permission-definitions' },
  'email-templates': { list: '/email-templates', show: templatePath },
  'project-keys': { list: '/internal/api-keys', show: (id) => `/internal/api-keys/${id}` },
  project: { showOnly: '/internal/projects/current' },
  settings: { showOnly: '/internal/projects/current/settings' },
};

/** The default version of a template, or its version for a language: `magic_link.de-DE`. */
function templatePath(id: string): string {
  const [type, language] = id.split('.');
  return language === undefined ? `/email-templates/${type}` : `/internal/email-templates/${type}/versions/${language}`;
}

type Asked = { moment: string; thing: string; action: string; id: string | undefined };

/** `gatebook at "2026-11-01 12:00" users show <id>` */
export function addAtCommand(program: Command, context: CliContext): void {
  program
    .command('at')
    .description('show users, sessions, API keys, teams or settings of a project as they were, for its owners')
    .argument('<moment>', 'a time such as "2026-11-01 12:00" (local) or 2026-11-01T12:00Z, or the ID of an event')
    .argument('<what>', Object.keys(things).join(', '))
    .argument('[action]', 'list or show', 'show')
    .argument('[id]', 'ID of what to show; of a member: <team>.<user>; of a template in a language: <type>.<language>')
    .option('--user <id>', 'only what belongs to this user; sessions and user API keys need it')
    .option('--team <id>', 'only what belongs to this team; team API keys need it')
    .addOption(projectOption())
    .option('--json', 'print one line of JSON', false)
    .action((moment: string, thing: string, action: string, id: string | undefined, options: AtOptions) =>
      showPast(context, { moment, thing, action, id }, options),
    );
}

async function showPast(context: CliContext, asked: Asked, { project, json, ...owners }: AtOptions): Promise<void> {
  const paths = pathsOf(asked.thing);
  const path = pathOf(asked, paths);
  const of = fieldsOf(asked.thing, paths, owners);
  const asOf = parseMoment(asked.moment);
  const { fetch } = await openOwnerApi(context, project);
  const answer = await fetch(`${path}${queryOf({ ...of, as_of: asOf })}`);
  const eventId = answer.headers.get(asOfHeaders.eventId);
  if (eventId === null) throw new CommandError('This server can’t show the past: it answered with the present.');
  const millis = Number(answer.headers.get(asOfHeaders.millis));
  const omitted = answer.headers.get(asOfHeaders.omitted)?.split(/, ?/) ?? [];
  const body: unknown = await answer.json();
  const moment = { as_of_event_id: eventId, as_of_millis: millis, as_of_omitted: omitted };
  if (json) return context.print(JSON.stringify({ ...moment, body }));
  context.print(`As of ${new Date(millis).toISOString()}, after event ${eventId}:`);
  if (omitted.length > 0) context.print(`The past does not know: ${omitted.join(', ')}`);
  context.print(JSON.stringify(body, null, 2));
}

/** @throws CommandError */
function pathsOf(thing: string): Paths {
  const paths = Object.hasOwn(things, thing) ? things[thing] : undefined;
  if (!paths) throw new CommandError(`Expected one of ${Object.keys(things).join(', ')}.`, exitCodes.usage);
  return paths;
}

/** @throws CommandError */
function fieldsOf(thing: string, { of = [], needs }: Paths, { user, team }: Pick<AtOptions, Owner>) {
  const given = { user, team };
  if (needs && given[needs] === undefined) throw new CommandError(`Add --${needs} <id>.`, exitCodes.usage);
  for (const owner of ['user', 'team'] as const) {
    if (given[owner] === undefined || of.includes(owner)) continue;
    throw new CommandError(`There are no ${thing} of a ${owner}.`, exitCodes.usage);
  }
  return { user_id: user, team_id: team };
}

/** @throws CommandError */
function pathOf({ thing, action, id }: Asked, paths: Paths): string {
  if (paths.showOnly && action === 'show' && id === undefined) return paths.showOnly;
  if (paths.list && action === 'list' && id === undefined) return paths.list;
  if (paths.show && action === 'show' && id !== undefined)
    return paths.show(id.split('.').map(encodeURIComponent).join('.'));
  const forms = [paths.showOnly && 'show', paths.list && 'list', paths.show && 'show <id>'].filter(Boolean);
  throw new CommandError(`Expected: gatebook at <moment> ${thing} ${forms.join(' or ')}`, exitCodes.usage);
}

/** In the form of the API. Times without a zone are local. @throws CommandError */
export function parseMoment(text: string): string {
  const known = momentForm.safeParse(text);
  if (known.success) return known.data;
  const millis = Date.parse(text);
  if (Number.isNaN(millis))
    throw new CommandError(`"${text}" is neither a time nor the ID of an event.`, exitCodes.usage);
  return String(millis);
}
