import { UserButton } from '@gatebook/react/pages';
import { revalidatePath } from 'next/cache';
import { gatebook } from '../gatebook';

export default async function Home() {
  const user = await gatebook.getUser({ or: 'redirect' });
  return (
    <main>
      <UserButton />
      <h1>Hello, {user.displayName ?? 'stranger'}!</h1>
      <p>Signed in as {user.primaryEmail}</p>
      <form action={rename}>
        <label>
          Name <input name="name" defaultValue={user.displayName ?? ''} required />
        </label>
        <button type="submit">Save</button>
      </form>
      <a href="/api/me">Route handler</a> · <a href="/handler/account-settings">Account settings</a> ·{' '}
      <a href="/handler/sign-out">Sign out</a>
    </main>
  );
}

async function rename(form: FormData) {
  'use server';
  const user = await gatebook.getUser({ or: 'throw' });
  await user.update({ displayName: String(form.get('name')) });
  revalidatePath('/');
}
