import { t } from '@lingui/core/macro';
import { envLines, type Framework } from './framework.ts';

const client = (library: string) => `import { GatebookClientApp } from '${library}';

export const gatebook = new GatebookClientApp({
  baseUrl: import.meta.env.VITE_GATEBOOK_API_URL,
  projectId: import.meta.env.VITE_GATEBOOK_PROJECT_ID,
  publishableClientKey: import.meta.env.VITE_GATEBOOK_PUBLISHABLE_CLIENT_KEY,
  tokenStore: 'cookie',
});
`;

const vite = (template: string) =>
  `npm create vite@latest my-app -- --template ${template} --no-interactive\ncd my-app`;
const env = { path: '.env.local', lines: envLines('VITE_') };
const run = ['npm run dev'];
const outcome = t`Open the printed address and sign up.`;

const react: Framework = {
  id: 'react',
  name: 'React',
  packages: ['js', 'react'],
  create: vite('react-ts'),
  env,
  files: [
    { path: 'src/gatebook.ts', code: client('@gatebook/react') },
    {
      path: 'src/App.tsx',
      code: `import { GatebookProvider, useUser } from '@gatebook/react';
import { GatebookHandler } from '@gatebook/react/pages';
import '@gatebook/react/styles.css';
import { Suspense } from 'react';
import { gatebook } from './gatebook';

export default function App() {
  const isHandler = location.pathname.startsWith('/handler/');
  return (
    <GatebookProvider app={gatebook}>
      <Suspense>{isHandler ? <GatebookHandler /> : <Home />}</Suspense>
    </GatebookProvider>
  );
}

function Home() {
  const user = useUser();
  if (!user) return <a href="/handler/sign-up">Sign up</a>;
  return (
    <p>
      Signed in as {user.primaryEmail}. <a href="/handler/sign-out">Sign out</a>
    </p>
  );
}
`,
    },
  ],
  run,
  outcome,
};

const vue: Framework = {
  id: 'vue',
  name: 'Vue',
  packages: ['js'],
  create: vite('vue'),
  env,
  files: [
    { path: 'src/gatebook.js', code: client('@gatebook/js') },
    {
      path: 'src/App.vue',
      code: `<script setup>
import { onMounted, ref, shallowRef } from 'vue';
import { gatebook } from './gatebook';

const user = shallowRef(null);
const problem = ref('');
const load = async () => {
  user.value = await gatebook.getUser();
};
onMounted(load);

async function signUp({ target }) {
  const { email, password } = Object.fromEntries(new FormData(target));
  const result = await gatebook.signUpWithCredential({ email, password, noRedirect: true });
  problem.value = result.status === 'error' ? result.error.message : '';
  await load();
}
</script>

<template>
  <p v-if="user">Signed in as {{ user.primaryEmail }}</p>
  <form v-else @submit.prevent="signUp">
    <label>Email <input name="email" type="email" autocomplete="username" required /></label>
    <label>Password <input name="password" type="password" autocomplete="new-password" required /></label>
    <button>Sign up</button>
    <p role="alert">{{ problem }}</p>
  </form>
</template>
`,
    },
  ],
  run,
  outcome,
};

const svelte: Framework = {
  id: 'svelte',
  name: 'Svelte',
  packages: ['js'],
  create: vite('svelte'),
  env,
  files: [
    { path: 'src/gatebook.js', code: client('@gatebook/js') },
    {
      path: 'src/App.svelte',
      code: `<script>
  import { onMount } from 'svelte';
  import { gatebook } from './gatebook';

  let user = $state.raw(null);
  let problem = $state('');
  const load = async () => {
    user = await gatebook.getUser();
  };
  onMount(load);

  async function signUp(event) {
    event.preventDefault();
    const { email, password } = Object.fromEntries(new FormData(event.currentTarget));
    const result = await gatebook.signUpWithCredential({ email, password, noRedirect: true });
    problem = result.status === 'error' ? result.error.message : '';
    await load();
  }
</script>

{#if user}
  <p>Signed in as {user.primaryEmail}</p>
{:else}
  <form onsubmit={signUp}>
    <label>Email <input name="email" type="email" autocomplete="username" required /></label>
    <label>Password <input name="password" type="password" autocomplete="new-password" required /></label>
    <button>Sign up</button>
    <p role="alert">{problem}</p>
  </form>
{/if}
`,
    },
  ],
  run,
  outcome,
};

const plain: Framework = {
  id: 'javascript',
  name: 'JavaScript',
  packages: ['js'],
  create: vite('vanilla'),
  env,
  files: [
    { path: 'src/gatebook.js', code: client('@gatebook/js') },
    {
      path: 'src/main.js',
      code: `import { gatebook } from './gatebook.js';

const app = document.querySelector('#app');
app.innerHTML = \`<form>
  <label>Email <input name="email" type="email" autocomplete="username" required></label>
  <label>Password <input name="password" type="password" autocomplete="new-password" required></label>
  <button>Sign up</button>
  <p role="alert"></p>
</form>\`;

async function showUser() {
  const user = await gatebook.getUser();
  if (user) app.textContent = \`Signed in as \${user.primaryEmail}\`;
}

app.querySelector('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  const { email, password } = Object.fromEntries(new FormData(event.target));
  const result = await gatebook.signUpWithCredential({ email, password, noRedirect: true });
  if (result.status === 'error') app.querySelector('[role=alert]').textContent = result.error.message;
  await showUser();
});
await showUser();
`,
    },
  ],
  run,
  outcome,
};

export const browserFrameworks = { react, vue, svelte, plain };
