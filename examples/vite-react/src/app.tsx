import { errorText } from '@gatebook/js/core';
import { createResourceCache, ResourceCacheContext, useAction, useResource } from '@gatebook/react';
import { HandlerPages } from '@gatebook/react/pages';
import '@gatebook/react/styles.css';
import { gatebook } from './gatebook';

const cache = createResourceCache();

export function App() {
  // The ready-made pages: sign-up, sign-in, account settings, and the targets of links in emails.
  if (location.pathname.startsWith('/handler/')) return <HandlerPages app={gatebook} productName="My app" />;
  return (
    <ResourceCacheContext.Provider value={cache}>
      <Home />
    </ResourceCacheContext.Provider>
  );
}

function Home() {
  const user = useResource(['user'], () => gatebook.getUser());
  if (user.error) return <p role="alert">{errorText(user.error)}</p>;
  if (user.value === undefined) return <p>Loading …</p>;
  if (user.value)
    return <Account name={user.value.displayName} email={user.value.primaryEmail} onChange={user.refresh} />;
  return (
    <p>
      <a href="/handler/sign-up">Sign up</a> or <a href="/handler/sign-in">sign in</a>.
    </p>
  );
}

type AccountProps = { name: string | null; email: string | null; onChange: () => Promise<unknown> };

function Account({ name, email, onChange }: AccountProps) {
  const rename = useAction(async (form: FormData) => {
    await gatebook.me.update({ displayName: String(form.get('name')) });
    await onChange();
  });
  return (
    <main>
      <h1>Hello, {name ?? 'stranger'}!</h1>
      <p>Signed in as {email}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void rename.run(new FormData(event.currentTarget));
        }}
      >
        <label>
          Name <input name="name" defaultValue={name ?? ''} required />
        </label>
        <button type="submit">Save</button>
        {rename.error ? <p role="alert">{errorText(rename.error)}</p> : null}
      </form>
      <a href="/handler/account-settings">Account settings</a> · <a href="/handler/sign-out">Sign out</a>
    </main>
  );
}
