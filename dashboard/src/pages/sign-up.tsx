import { SignUpPage } from '../features/auth/sign-up-page.tsx';
import { useApp } from '../lib/app.ts';
import { useNavigation } from '../lib/navigation.ts';
import { useReturnPath } from './parameters.ts';

export default function SignUpRoute() {
  const { client, config } = useApp();
  const { go } = useNavigation();
  const target = useReturnPath();
  return (
    <SignUpPage
      auth={client.auth}
      isOpen={config.isSignUpOpen}
      signInHref="/sign-in"
      verificationCallbackUrl={`${config.apiUrl}/handler/email-verification`}
      onSignedUp={() => go(target, { replace: true })}
    />
  );
}
