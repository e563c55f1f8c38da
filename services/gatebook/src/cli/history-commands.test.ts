import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { senderOf } from '@gatebook/api/testing/requests';
import { realNetwork } from '@gatebook/js/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestOwner, type TestOwner } from '../testing/test-owner.ts';

let { api, project, folder, userId, asAdmin, run, close }: TestOwner = {} as TestOwner;
beforeAll(async () => {
  ({ api, project, folder, userId, asAdmin, run, close } = await startTestOwner());
  await rename('Ann');
});
afterAll(() => close?.());

/** Resolves with the ID of the action. */
const rename = async (name: string) => {
  const { headers } = await asAdmin('PATCH', `/users/${userId}`, { display_name: name });
  return String(headers['x-stack-request-id']);
};
const nameOfUser = async () => (await asAdmin('GET', `/users/${userId}`)).body.display_name;
/** The newest event of the user. */
const newest = async () => {
  const { lines } = await run(`audit list --target ${userId} --limit 1 --json`);
  return lines()[0].items[0];
};

describe('gatebook audit', () => {
  test('lists events, newest first, with a cursor for the next page', async () => {
    await rename('Anna');
    const first = await run(`audit list --target ${userId} --type user.* --limit 1`);
    expect(first).toMatchObject({ code: 0, errors: '' });
    expect(first.output).toMatch(/^\d{4}-\S+Z {2}admin .*Changed the display name to Anna {2}[0-9a-f-]{36}\n/);
    const cursor = /--cursor (\S+)$/.exec(first.output)?.[1];
    const { output } = await run(`audit list --target ${userId} --type user.* --limit 1 --cursor ${cursor}`);
    expect(output).toContain('name to Ann ');
  });

  test('leaves out what is excluded', async () => {
    const typesOf = async (filters: string): Promise<string[]> => {
      const { items } = (await run(`audit list --target ${userId} --json ${filters}`)).lines()[0];
      return items.map(({ type }: { type: string }) => type);
    };
    const all = await typesOf('--limit 200');
    expect(all).toContain('UserRenamed');
    expect(await typesOf('--exclude-type UserRenamed')).toEqual(all.filter((type) => type !== 'UserRenamed'));
    expect(
      await typesOf(`--exclude-category user,credential --exclude-actor-kind server --exclude-ip 2001:db8::/32`),
    ).toEqual(expect.not.arrayContaining(['UserRenamed']));
    expect(await typesOf(`--exclude-target ${userId} --exclude-actor ${userId} --exclude-action x`)).toEqual([]);
  });

  test('finds and leaves out events by what they concern', async () => {
    const actions = async (filters: string): Promise<{ type: string; targets: { type: string }[] }[]> =>
      (await run(`audit list --json --limit 200 ${filters}`)).lines()[0].items;
    const ofUsers = await actions('--target-type user');
    expect(ofUsers.map(({ type }) => type)).toContain('UserRenamed');
    expect(ofUsers.filter(({ targets }) => !targets.some(({ type }) => type === 'user'))).toEqual([]);
    const others = await actions('--exclude-target-type user,team');
    expect(others.length).toBeGreaterThan(0);
    expect(others.flatMap(({ targets }) => targets).filter(({ type }) => type === 'user')).toEqual([]);
    const { code, errors } = await run('audit list --target-type house');
    expect([code, errors]).toEqual([expect.any(Number), expect.stringContaining('custom_metric')]);
    expect(code).not.toBe(0);
  });

  test('follows events as they happen, until Ctrl-C', async () => {
    const stop = new AbortController();
    const { lines } = await run('audit list --limit 1 --type UserRenamed --json');
    const printed: string[] = [];
    const followed = run('audit follow --type UserRenamed --json', {
      stop: stop.signal,
      onLine: (line) => {
        printed.push(line);
        stop.abort();
      },
    });
    // The first name can be set before the stream has begun.
    for (let n = 0; printed.length === 0; n += 1) await rename(`Name ${n}`);
    expect(await followed).toMatchObject({ code: 0 });
    const event = JSON.parse(printed[0] ?? '');
    expect(event).toMatchObject({ type: 'UserRenamed', cursor: expect.any(String) });
    expect(event.id).not.toBe(lines()[0].items[0].id);
    await rename('Anna');
  });

  test.each(['audit', 'events'])('%s: follows on when a rate limit is over', async (log) => {
    const stop = new AbortController();
    const asked: number[] = [];
    const limited: typeof realNetwork.fetch = (url, init) => {
      if (!url.includes('/stream')) return realNetwork.fetch(url, init);
      asked.push(performance.now());
      if (asked.length > 1) stop.abort();
      return Promise.resolve(new Response('Too many requests', { status: 429, headers: { 'retry-after': '1' } }));
    };
    const network = { ...realNetwork, fetch: limited };
    expect(await run(`${log} follow`, { stop: stop.signal, network })).toMatchObject({ code: 0, errors: '' });
    const [first = 0, second = 0] = asked;
    // Any connection is opened again after two seconds.
    expect(second - first).toBeGreaterThan(2_900);
  });

  test('lists nothing outside the given times', async () => {
    const { output } = await run('audit list --since 2020-01-01 --until 2020-01-02');
    expect(output).toBe('No events.');
    expect(await run('audit list --since yesterday')).toMatchObject({ code: 2 });
  });

  test('shows an event with its changes and whether it can be undone', async () => {
    await rename('Bea');
    const { id, action_id: action } = await newest();
    const { code, output } = await run(`audit show ${id}`);
    expect(code).toBe(0);
    expect(output).toContain('display_name: "Anna" → "Bea"');
    expect(output).toMatch(new RegExp(`Action +${action}`));
    expect(output).toMatch(/Undo +possible/);
  });

  test('shows the chain of an event', async () => {
    const action = await rename('Cleo');
    const { id } = await newest();
    await run(`undo ${action} --yes`);
    const { output } = await run(`audit chain ${id}`);
    expect(output).toContain(`Action ${action}\nCaused by: none\nEffects:\n`);
    expect(output).toContain('Changed the display name to Bea');
  });

  test.each(['jsonl', 'csv', 'ocsf', 'cloudevents'])('exports a complete file as %s', async (format) => {
    const file = join(folder, `log.${format}`);
    const { code, lines } = await run(`audit export ${file} --format ${format} --target ${userId} --json`);
    const text = await readFile(file, 'utf8');
    const rows = text.trimEnd().split('\n').length - (format === 'csv' ? 2 : 1);
    expect({ code, end: lines()[0] }).toEqual({ code: 0, end: { count: rows, next_cursor: expect.any(String) } });
    expect(text).toContain(userId);
    const next = await run(
      `audit export ${file} --format ${format} --target ${userId} --cursor ${lines()[0].next_cursor}`,
    );
    expect(next).toMatchObject({ code: 0, output: expect.stringMatching(/^Exported 0 events\./) });
  });

  test.each(['jsonl', 'csv'])('leaves no file if an export as %s was cut off', async (format) => {
    const file = join(folder, `cut.${format}`);
    const network = {
      ...realNetwork,
      fetch: async (...request: Parameters<typeof fetch>) => {
        const answer = await realNetwork.fetch(...(request as Parameters<typeof realNetwork.fetch>));
        if (!String(request[0]).includes('/export')) return answer;
        return new Response((await answer.text()).trimEnd().split('\n').slice(0, -1).join('\n'));
      },
    };
    expect(await run(`audit export ${file} --format ${format}`, { network })).toMatchObject({
      code: 1,
      errors: 'gatebook: The export was cut off. Run the command again.',
    });
    expect(await readdir(folder)).not.toContain(`cut.${format}`);
  });

  test('prints the server’s error', async () => {
    const errors = 'gatebook: This event does not exist.';
    expect(await run('audit show 5d9c4f0e-7b1a-4c7e-8a61-2f6a5d9c4f0e')).toMatchObject({ code: 1, errors });
  });
});

describe('gatebook why', () => {
  test('names each step to a permission, and what is missing', async () => {
    const { body: team } = await asAdmin('POST', '/teams', { display_name: 'Crew' });
    const question = `why ${userId} $invite_members --team ${team.id}`;
    const before = await run(question);
    expect(before.output).toContain(`User ${userId} does not have $invite_members in team ${team.id}.\nNearest miss:`);
    expect(before.output).toContain('✗ member of the team');
    await asAdmin('POST', `/team-memberships/${team.id}/${userId}`, {});
    await asAdmin('POST', `/team-permissions/${team.id}/${userId}/$invite_members`, {});
    const after = await run(question);
    expect(after.output).toContain(`User ${userId} has $invite_members in team ${team.id}.`);
    expect(after.output).toMatch(/✓ member of the team, since \S+Z by admin .*\(event [0-9a-f-]{36}\)/);
    expect((await run(`${question} --json`)).lines()[0]).toMatchObject({ is_granted: true });
    const { id } = (await run(`audit list --target ${team.id} --type TeamCreated --json`)).lines()[0].items[0];
    expect(await run(`${question} --at ${id}`)).toMatchObject({ errors: '', output: before.output });
  });
});

describe('gatebook rejections', () => {
  test('shows the check that a request failed', async () => {
    const { headers } = await senderOf(api)('GET', '/users/me', { ...project, access: 'server' });
    const { code, output } = await run(`rejections show ${headers['x-stack-request-id']}`);
    expect(code).toBe(0);
    expect(output).toContain('was rejected: CANNOT_GET_OWN_USER_WITHOUT_USER, 400, GET ');
    expect(output.match(/✗ /g)).toHaveLength(1);
  });

  test('finds the requests of the audit log', async () => {
    const body = { email: 'ann@example.com', password: 'wrong password' };
    await senderOf(api)('POST', '/auth/password/sign-in', { ...project, body });
    const [listed] = (await run('audit list --outcome rejected --limit 1 --json')).lines()[0].items;
    const explained = await run(`rejections show ${listed.action_id} --json`);
    expect(explained.lines()[0]).toMatchObject({ error_code: listed.error_code });
  });
});

describe('gatebook undo', () => {
  test('--preview shows what would change, and changes nothing', async () => {
    const action = await rename('Dora');
    const { code, output } = await run(`undo ${action} --preview`);
    expect({ code, output }).toEqual({
      code: 0,
      output: `Changes:\n  user ${userId} display_name: "Dora" → "Bea"`,
    });
    expect(await nameOfUser()).toBe('Dora');
  });

  test('asks first, and undoes as the signed-in owner', async () => {
    const action = await rename('Eve');
    expect(await run(`undo ${action}`)).toMatchObject({ code: 4 });
    expect(await nameOfUser()).toBe('Eve');
    const terminal = { confirm: async () => true, startBar: () => ({ show: () => {}, stop: () => {} }) };
    const { code, output } = await run(`undo ${action}`, { terminal });
    expect({ code, output }).toEqual({ code: 0, output: expect.stringMatching(/\nUndone by action \w+\.$/) });
    expect(await nameOfUser()).toBe('Dora');
    expect((await newest()).actor).toMatchObject({ kind: 'owner', id: project.owner.userId });
  });

  test('changes nothing if anything has changed after the question', async () => {
    const action = await rename('Ida');
    const confirm = async () => {
      await asAdmin('PATCH', `/users/${userId}`, { server_metadata: { plan: 'pro' } });
      return true;
    };
    const terminal = { confirm, startBar: () => ({ show: () => {}, stop: () => {} }) };
    const { code, errors } = await run(`undo ${action}`, { terminal });
    expect({ code, errors }).toEqual({ code: 1, errors: expect.stringContaining('has changed. Nothing was written.') });
    expect(await nameOfUser()).toBe('Ida');
  });

  test('names what has changed since', async () => {
    const action = await rename('Fay');
    await rename('Gil');
    const { code, errors } = await run(`undo ${action} --yes`);
    expect(code).toBe(1);
    expect(errors).toContain(`  display_name, changed by event ${(await newest()).id}`);
    expect(await nameOfUser()).toBe('Gil');
  });
});

describe('gatebook events', () => {
  test('lists public events, oldest first, with a cursor for the next page', async () => {
    const first = await run(`events list --user ${userId} --types user.* --limit 1`);
    expect(first).toMatchObject({ code: 0, errors: '' });
    expect(first.output).toMatch(new RegExp(`^\\S+Z  user.created  ${userId}  by client  evt_\\w{32}\n`));
    const cursor = /--after (\S+)$/.exec(first.output)?.[1];
    const { lines } = await run(`events list --user ${userId} --types user.* --after ${cursor} --limit 1 --json`);
    expect(lines()[0]).toMatchObject({ items: [{ type: 'user.signed_in' }], has_more: true });
    expect((await run('events list --types api_key.*')).output).toBe('No events.');
  });

  test('follows public events as they happen, until Ctrl-C', async () => {
    const { lines } = await run('events list --limit 1000 --json');
    const before = lines()[0].items.at(-1);
    await rename('Followed');
    const stop = new AbortController();
    const followed = await run(`events follow --types user.updated --after ${before.cursor} --json`, {
      stop: stop.signal,
      onLine: () => stop.abort(),
    });
    expect(followed).toMatchObject({ code: 0 });
    expect(followed.lines()[0]).toMatchObject({ type: 'user.updated', data: { display_name: 'Followed' } });
  });

  test('follows on after the server was away, without loss', async () => {
    const stop = new AbortController();
    let asked = 0;
    const restarting: typeof realNetwork.fetch = async (url, init) => {
      if (!url.includes('/stream')) return realNetwork.fetch(url, init);
      asked += 1;
      if (asked === 1) throw new TypeError('fetch failed');
      if (asked === 2) return new Response('Bad gateway', { status: 502 });
      return realNetwork.fetch(url, init);
    };
    const { lines } = await run('events list --limit 1000 --json');
    const before = lines()[0].items.at(-1);
    await rename('While away');
    const followed = await run(`events follow --types user.updated --after ${before.cursor} --json`, {
      ...{ stop: stop.signal, network: { ...realNetwork, fetch: restarting }, onLine: () => stop.abort() },
    });
    expect(followed).toMatchObject({ code: 0 });
    expect(followed.lines()[0]).toMatchObject({ data: { display_name: 'While away' } });
    expect(asked).toBe(3);
  });

  test('a cursor of elsewhere is an error', async () => {
    expect(await run('events follow --after x')).toMatchObject({ code: 1 });
  });
});
