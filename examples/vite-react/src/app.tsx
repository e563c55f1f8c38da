import { errorText } from '@gatebook/js/errors';
import { type CurrentUser, GatebookProvider, useAction, useUser } from '@gatebook/react';
import { GatebookHandler } from '@gatebook/react/pages';
import '@gatebook/react/styles.css';
import { Suspense } from 'react';
import { gatebook } from './gatebook';

export function App() {
  // The ready-made pages: sign-up, sign-in, account settings, and the targets of links in emails.
  const isHandler = location.pathname.startsWith('/handler/');
  return (
    <GatebookProvider app={gatebook}>
      <Suspense fallback="Loading …">{isHandler ? <GatebookHandler productName="My app" /> : <Home />}</Suspense>
    </GatebookProvider>
  );
}

function Home() {
  const user = useUser();
  if (user) return <Account user={user} />;
  return (
    <p>
      <a href="/handler/sign-up">Sign up</a> or <a href="/handler/sign-in">sign in</a>.
    </p>
  );
}

function Account({ user }: { user: CurrentUser }) {
  const rename = useAction((form: FormData) => user.update({ displayName: String(form.get('name')) }));
  return (
    <main>
      <h1>Hello, {user.displayName ?? 'stranger'}!</h1>
      <p>Signed in as {user.primaryEmail}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void rename.run(new FormData(event.currentTarget));
        }}
      >
        <label>
          Name <input name="name" defaultValue={user.displayName ?? ''} required />
        </label>
        <button type="submit">Save</button>
        {rename.error ? <p role="alert">{errorText(rename.error)}</p> : null}
      </form>
      <a href="/handler/account-settings">Account settings</a> · <a href="/handler/sign-out">Sign out</a>
    </main>
  );
}
