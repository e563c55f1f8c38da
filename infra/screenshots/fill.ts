import { createOwnerClient, type OwnerClient } from '@gatebook/sdk/client';
import { createMemoryTokenStore } from '@gatebook/sdk/token-store/memory';
import { internalKeys, type Product } from '../testing/product.ts';

export const owner = { email: 'maya@gatebook.example', password: 'open the gate', displayName: 'Maya Lindqvist' };

const people = [
  ...['Ann Achebe', 'Bo Lindgren', 'Chidi Okafor', 'Dora Weiss', 'Emil Novak', 'Fatima Rahman', 'Goro Tanaka'],
  ...['Hana Kim', 'Ines Duarte', 'Jonas Berg', 'Kavya Iyer', 'Liam Byrne', 'Mei Chen', 'Noor Haddad', 'Oskar Dahl'],
  ...['Priya Nair', 'Quentin Moreau', 'Rosa Vidal', 'Samir Aziz', 'Tove Lund', 'Uma Prasad', 'Viktor Sokolov'],
  ...['Wanda Mazur', 'Xavi Puig', 'Yara Costa', 'Zoe Katz', 'Aino Salo', 'Bilal Khan', 'Clara Rossi', 'Dilan Kaya'],
];

export type Filled = { owner: OwnerClient; projectId: string; userId: string };

/** The first owner, three projects, keys, and people with sessions and something in their history; all over the API. */
export async function fill({ url, setupToken }: Product): Promise<Filled> {
  const client = createOwnerClient({
    baseUrl: url,
    projectId: 'internal',
    publishableClientKey: internalKeys.client,
    tokenStore: createMemoryTokenStore(),
  });
  await client.setup.complete({ token: setupToken ?? '', ...owner });
  const shop = await client.projects.create({
    displayName: 'Acme Shop',
    description: 'The web shop and its phone app.',
  });
  await client.projects.create({ displayName: 'Acme Intranet', description: 'For the people who work here.' });
  await client.projects.create({ displayName: 'Playground', description: '' });
  const admin = client.admin(shop.id);
  const expiresAt = new Date(Date.now() + 365 * 86_400_000);
  const website = await admin.keys.create({ description: 'Website', expiresAt, kinds: ['publishableClientKey'] });
  const old = await admin.keys.create({ description: 'Old backend', expiresAt, kinds: ['secretServerKey'] });
  await admin.keys.create({ description: 'Backend', expiresAt, kinds: ['publishableClientKey', 'secretServerKey'] });
  await admin.keys.revoke(old.id);
  const userIds: string[] = [];
  for (const name of people) {
    userIds.push(
      await signUp(
        url,
        shop.id,
        website.texts.publishableClientKey ?? '',
        `${name.split(' ')[0]?.toLowerCase()}@mail.example`,
      ),
    );
    await admin.users.update(userIds.at(-1) ?? '', { displayName: name });
  }
  const [userId = ''] = userIds.slice(3);
  await admin.users.update(userId, { primaryEmailVerified: true });
  await signIn(url, shop.id, website.texts.publishableClientKey ?? '', 'dora@mail.example');
  return { owner: client, projectId: shop.id, userId };
}

async function signUp(url: string, projectId: string, key: string, email: string): Promise<string> {
  const callback = `${url}/handler/email-verification`;
  return post(url, projectId, key, '/auth/password/sign-up', {
    email,
    password: 'correct horse',
    verification_callback_url: callback,
  });
}

async function signIn(url: string, projectId: string, key: string, email: string): Promise<string> {
  return post(url, projectId, key, '/auth/password/sign-in', { email, password: 'correct horse' });
}

async function post(url: string, projectId: string, key: string, path: string, body: object): Promise<string> {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140',
      'x-stack-access-type': 'client',
      'x-stack-project-id': projectId,
      'x-stack-publishable-client-key': key,
    },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  const { user_id } = (await answer.json()) as { user_id: string };
  return user_id;
}
