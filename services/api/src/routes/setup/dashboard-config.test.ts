import { issueOwnerSetup } from '@gatebook/commands/project/owner-setup';
import { expect, test } from 'vitest';
import { newEmail, password } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const inbox = { list: async () => [], find: async () => null };
const { api, send } = await startSuite({ signUp: 'closed', overrides: () => ({ inbox }) });

const readConfig = async () => (await api.app.inject('/dashboard/config.json')).json();

test('the configuration says that an owner is missing until there is one', async () => {
  expect(await readConfig()).toMatchObject({ is_setup_required: true });
  const setup = await issueOwnerSetup(api.deps);
  const body = { token: setup?.token, email: newEmail(), password };
  expect((await send('POST', '/internal/setup', { body })).status).toBe(200);
  expect(await readConfig()).toMatchObject({ is_setup_required: false });
});

test('the configuration says whether emails are kept in the inbox', async () => {
  expect(await readConfig()).toMatchObject({ has_inbox: true });
});
