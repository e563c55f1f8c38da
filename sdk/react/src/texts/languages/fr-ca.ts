import type { Translation } from '../texts.ts';
import { translation as france } from './fr-fr.ts';

export const translation: Translation = {
  ...france,
  'Revoke this key? Anything that uses it will stop working.':
    'Révoquer cette clé? Tout ce qui l’utilise cessera de fonctionner.',
  'You can sign in with a code or a link sent by email.':
    'Vous pouvez vous connecter avec un code ou un lien envoyé par courriel.',
  'Sign in with a code or a link sent by email.': 'Connectez-vous avec un code ou un lien envoyé par courriel.',
  'Requires a verified email address that is used for sign-in.':
    'Nécessite une adresse courriel vérifiée qui sert à la connexion.',
  'Email codes': 'Codes par courriel',
  'Turn off email codes': 'Désactiver les codes par courriel',
  'Turn on email codes': 'Activer les codes par courriel',
  'Email addresses': 'Adresses courriel',
  'Loading email addresses': 'Chargement des adresses courriel',
  'No email addresses.': 'Aucune adresse courriel.',
  'Verification email sent. Open the link in it to verify the address.':
    'Courriel de vérification envoyé. Ouvrez son lien pour vérifier l’adresse.',
  'Send verification email to {email}': 'Envoyer un courriel de vérification à {email}',
  'Remove {email} from your account?': 'Retirer {email} de votre compte?',
  'Add an email address': 'Ajouter une adresse courriel',
  'Verification email sent to {email}.': 'Courriel de vérification envoyé à {email}.',
  'Remove this passkey? You will no longer be able to sign in with it.':
    'Retirer cette clé d’accès? Vous ne pourrez plus vous connecter avec elle.',
  'Add an email address for sign-in first.': 'Ajoutez d’abord une adresse courriel pour la connexion.',
  'Turn off two-factor authentication? Your account will be less secure.':
    'Désactiver l’authentification à deux facteurs? Votre compte sera moins bien protégé.',
  'Sign out of {count} other sessions?': 'Fermer {count} autres sessions?',
  'Sign out of this session?': 'Fermer cette session?',
  'Delete your account? This cannot be undone.': 'Supprimer votre compte? C’est irréversible.',
  "If an account with this address exists, we sent an email to it. If it doesn't arrive within a few minutes, check your spam folder.":
    'S’il existe un compte avec cette adresse, nous lui avons envoyé un courriel. S’il n’arrive pas d’ici quelques minutes, regardez dans le courrier indésirable.',
  'Links in emails expire after a while.': 'Les liens des courriels expirent au bout d’un certain temps.',
  'Caps Lock is on': 'Verr. maj. est activé',
  'We sent a six-character code to {email}. Enter it here, or open the link in the email.':
    'Nous avons envoyé un code de six caractères à {email}. Saisissez-le ici ou ouvrez le lien du courriel.',
  'Code from the email': 'Code du courriel',
  'Last used: email code': 'Dernière méthode : code par courriel',
  'Use an email code instead': 'Utiliser plutôt un code par courriel',
  Email: 'Courriel',
  'Incorrect code. Use the code from the latest email': 'Code incorrect. Utilisez le code du dernier courriel',
  'Incorrect email or password': 'Courriel ou mot de passe incorrect',
  'An account with this email already exists': 'Un compte avec ce courriel existe déjà',
  'Already have an account? {link}': 'Vous avez déjà un compte? {link}',
  "Don't have an account? {link}": 'Vous n’avez pas de compte? {link}',
  'Email verified': 'Courriel vérifié',
  'Thank you for verifying your email address.': 'Merci d’avoir vérifié votre adresse courriel.',
  'Part of the link may be missing. Open it again from the email.':
    'Il manque peut-être une partie du lien. Ouvrez-le à nouveau depuis le courriel.',
  'Request a new verification email in your account settings.':
    'Demandez un nouveau courriel de vérification dans les paramètres de votre compte.',
  "Sign in to verify your email address and keep your account unchanged. If you didn't create this account or can't sign in, verify without signing in: this removes the account's password and signs it out everywhere. You can then set a new password.":
    'Connectez-vous pour vérifier votre adresse courriel sans rien changer à votre compte. Si vous n’avez pas créé ce compte ou ne pouvez pas vous connecter, vérifiez sans vous connecter : le mot de passe du compte sera retiré et toutes ses sessions seront fermées. Vous pourrez ensuite définir un nouveau mot de passe.',
  'Verify email': 'Vérifier le courriel',
  'Confirm that you received the email with this link.': 'Confirmez que vous avez reçu le courriel contenant ce lien.',
  'You are signed in as {email}. If the email is for another account, sign in to that account first.':
    'Vous êtes connecté en tant que {email}. Si le courriel concerne un autre compte, connectez-vous d’abord à celui-ci.',
  'Remember your password? {link}': 'Vous vous souvenez de votre mot de passe? {link}',
  'Open it again from the email.': 'Ouvrez-le à nouveau depuis le courriel.',
  'Sign in to {product}?': 'Se connecter à {product}?',
  'Sign in?': 'Se connecter?',
  'You opened the link from a sign-in email. It works only once.':
    'Vous avez ouvert le lien d’un courriel de connexion. Il ne fonctionne qu’une fois.',
  'Add an email address to your account first.': 'Ajoutez d’abord une adresse courriel à votre compte.',
  'Verify your email address': 'Vérifiez votre adresse courriel',
  'Before you continue, verify {email} with the link that we email you.':
    'Avant de continuer, vérifiez {email} avec le lien que nous vous envoyons par courriel.',
  'You are signed out on all devices. Sign in to the app again and check your email addresses and sign-in methods.':
    'Vous êtes déconnecté de tous les appareils. Reconnectez-vous à l’application et vérifiez vos adresses courriel et vos moyens de connexion.',
  'Secure your account?': 'Protéger votre compte?',
  "If you don't recognize the activity in the email, sign out everywhere. Your password will stop working, and we'll email you a link to set a new one. If it was you, close this page.":
    'Si vous ne reconnaissez pas l’activité décrite dans le courriel, déconnectez-vous partout. Votre mot de passe cessera de fonctionner et nous vous enverrons un lien pour en définir un nouveau. Si c’était vous, fermez cette page.',
  'Join {team}?': 'Rejoindre {team}?',
  "You won't get marketing emails from this app anymore. You still get emails about your account.":
    'Vous ne recevrez plus de courriels promotionnels de cette application. Vous recevrez toujours les courriels concernant votre compte.',
  'Open the link in the latest email.': 'Ouvrez le lien du dernier courriel.',
  'Unsubscribe from marketing emails?': 'Se désabonner des courriels promotionnels?',
  'You will still get emails about your account, such as password resets.':
    'Vous recevrez toujours les courriels concernant votre compte, par exemple pour réinitialiser le mot de passe.',
  'Forgot password?': 'Mot de passe oublié?',
  'Request a new email on the sign-in page.': 'Demandez un nouveau courriel sur la page de connexion.',
  'Request a new link on the sign-in page, under “Forgot password?”.':
    'Demandez un nouveau lien sur la page de connexion, sous « Mot de passe oublié? ».',
  'Approve CLI login?': 'Approuver la connexion du programme?',
  'Enter a complete email address, like ann@example.com':
    'Saisissez une adresse courriel complète, comme ann@example.com',
  'Another account uses this email address. If it is yours, sign in as usual, then link the provider in your account settings.':
    'Un autre compte utilise cette adresse courriel. S’il est à vous, connectez-vous comme d’habitude, puis associez le fournisseur dans les paramètres de votre compte.',
  'Act as this user?': 'Agir en tant que cet utilisateur?',
  'You will be signed out of your own account here. Everything you do is recorded with your name.':
    'Vous serez déconnecté de votre propre compte ici. Tout ce que vous faites est enregistré avec votre nom.',
  'Start again in the dashboard.': 'Recommencez à partir du tableau de bord.',
  'You are acting as {name} until {time}.': 'Vous agissez en tant que {name} jusqu’à {time}.',
  'Stop acting': 'Arrêter',
};
