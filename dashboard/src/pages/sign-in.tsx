import { SignInPage } from '../features/auth/sign-in-page.tsx';
import { useApp } from '../lib/app.ts';
import { useNavigation } from '../lib/navigation.ts';
import { useReturnPath } from './parameters.ts';

export default function SignInRoute() {
  const { client, config } = useApp();
  const { go } = useNavigation();
  const target = useReturnPath();
  return (
    <SignInPage
      auth={client.auth}
      signUpHref={config.isSignUpOpen ? '/sign-up' : null}
      onSignedIn={() => go(target, { replace: true })}
    />
  );
}
