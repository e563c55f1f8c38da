import { type CurrentUser, StackClientApp } from '@stackframe/js';
import { type FormEvent, useCallback, useEffect, useState } from 'react';

const app = new StackClientApp({
  baseUrl: import.meta.env.VITE_GATEBOOK_URL ?? 'http://localhost:8102',
  projectId: import.meta.env.VITE_GATEBOOK_PROJECT_ID,
  tokenStore: 'cookie',
  redirectMethod: 'none',
  // Gatebook has no analytics. With analytics on, the library signs up an anonymous user for each visitor.
  analytics: { enabled: false },
  // The developer panel links to the hosted service of Stack Auth.
  devTool: false,
});

export function App() {
  const [user, setUser] = useState<CurrentUser | null>();

  const loadUser = useCallback(async () => setUser(await app.getUser()), []);
  useEffect(() => void loadUser(), [loadUser]);

  if (user === undefined) return <p>Loading …</p>;
  return (
    <main>
      <h1>Gatebook quick start</h1>
      {user ? <Account user={user} onChange={loadUser} /> : <SignIn onChange={loadUser} />}
    </main>
  );
}

function Account({ user, onChange }: { user: CurrentUser; onChange: () => Promise<void> }) {
  const signOut = async () => {
    await user.signOut();
    await onChange();
  };
  return (
    <section>
      <p>
        Signed in as <strong>{user.primaryEmail}</strong>
      </p>
      <p>User ID: {user.id}</p>
      <button type="button" onClick={signOut}>
        Sign out
      </button>
    </section>
  );
}

function SignIn({ onChange }: { onChange: () => Promise<void> }) {
  const [isNew, setIsNew] = useState(true);
  const [error, setError] = useState<string>();
  const title = isNew ? 'Sign up' : 'Sign in';

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const credentials = { email: String(form.get('email')), password: String(form.get('password')), noRedirect: true };
    try {
      const result = isNew ? await app.signUpWithCredential(credentials) : await app.signInWithCredential(credentials);
      if (result.status === 'error') throw result.error;
      await onChange();
    } catch (fault) {
      setError(fault instanceof Error ? fault.message : String(fault));
    }
  };

  return (
    <form onSubmit={submit}>
      <h2>{title}</h2>
      <label>
        Email <input name="email" type="email" autoComplete="email" required />
      </label>
      <label>
        Password{' '}
        <input name="password" type="password" autoComplete={isNew ? 'new-password' : 'current-password'} required />
      </label>
      {error && <p role="alert">{error}</p>}
      <button type="submit">{title}</button>
      <button type="button" onClick={() => setIsNew(!isNew)}>
        {isNew ? 'I have an account' : 'I am new here'}
      </button>
    </form>
  );
}
