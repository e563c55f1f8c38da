import { UserButton } from '@stackframe/stack';
import { revalidatePath } from 'next/cache';
import { gatebook } from '../gatebook';
import { TeamSwitcher } from './team-switcher';

export default async function Home() {
  const user = await gatebook.getUser();
  return (
    <main>
      <h1>Gatebook with Next.js</h1>
      <UserButton showUserInfo />
      <TeamSwitcher />
      {user ? (
        <section>
          <h2>Hello, {user.displayName ?? 'there'}!</h2>
          <p>
            Signed in as <strong>{user.primaryEmail}</strong>
          </p>
          <form action={rename}>
            <label>
              Name <input name="name" defaultValue={user.displayName ?? ''} required />
            </label>
            <button type="submit">Save</button>
          </form>
          <p>
            <a href="/protected">Protected page</a> · <a href="/api/me">Route handler</a> ·{' '}
            <a href="/handler/account-settings">Account settings</a> · <a href="/handler/sign-out">Sign out</a>
          </p>
        </section>
      ) : (
        <p>
          You are signed out. <a href="/handler/sign-in">Sign in</a> or <a href="/handler/sign-up">sign up</a>.
        </p>
      )}
    </main>
  );
}

async function rename(form: FormData) {
  'use server';
  const user = await gatebook.getUser({ or: 'throw' });
  await user.update({ displayName: String(form.get('name')) });
  revalidatePath('/');
}
