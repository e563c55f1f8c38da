import { SelectedTeamSwitcher, StackHandler, UserButton, useUser } from '@stackframe/react';

/** Use your router instead: every path that begins with `/handler/` shows a page of the library. */
export function App() {
  const { pathname } = window.location;
  if (pathname.startsWith('/handler/')) return <StackHandler fullPage />;
  return (
    <main>
      <h1>Gatebook with React</h1>
      <UserButton showUserInfo />
      {pathname === '/protected' ? <Protected /> : <Home />}
    </main>
  );
}

function Home() {
  const user = useUser();
  if (!user)
    return (
      <p>
        You are signed out. <a href="/handler/sign-in">Sign in</a> or <a href="/handler/sign-up">sign up</a>.
      </p>
    );
  return (
    <section>
      <p>
        Signed in as <strong>{user.primaryEmail}</strong>
      </p>
      <SelectedTeamSwitcher />
      <p>
        <a href="/protected">Protected page</a> · <a href="/handler/account-settings">Account settings</a>
      </p>
      <button type="button" onClick={() => user.signOut()}>
        Sign out
      </button>
    </section>
  );
}

/** Sends visitors to the sign-in page and back. */
function Protected() {
  const user = useUser({ or: 'redirect' });
  return <p>Only signed-in users see this page. Your user ID is {user.id}.</p>;
}
