import { getConfig } from '@lingui/conf';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import { lingui } from '@lingui/vite-plugin';
import babel from '@rolldown/plugin-babel';

const cwd = import.meta.dirname;
const linguiConfig = getConfig({ cwd });

type BabelNode = { type: string; value?: unknown };
type Types = { valueToNode(value: unknown): BabelNode; jsxExpressionContainer(node: BabelNode): BabelNode };
type Message = { node: { key?: { name?: string }; name?: { name?: unknown }; value: BabelNode | null } };

/** Compiles English in the code, as the catalogs are, so that no browser needs the compiler. */
const compiledEnglish = ({ types }: { types: Types }) => {
  const compiled = (message: unknown) => {
    const tokens = compileMessage(String(message));
    return typeof tokens === 'string' || tokens.every((token) => typeof token === 'string') ? null : tokens;
  };
  return {
    visitor: {
      Program: {
        exit: (program: { traverse(visitor: object): void }) =>
          program.traverse({
            ObjectProperty: ({ node }: Message) => {
              const tokens =
                node.key?.name === 'message' && node.value?.type === 'StringLiteral' && compiled(node.value.value);
              if (tokens) node.value = types.valueToNode(tokens);
            },
            JSXAttribute: ({ node }: Message) => {
              const tokens =
                node.name?.name === 'message' && node.value?.type === 'StringLiteral' && compiled(node.value.value);
              if (tokens) node.value = types.jsxExpressionContainer(types.valueToNode(tokens));
            },
          }),
      },
    },
  };
};

/** Plugins that compile `t` and `<Trans>` to lookups, and catalogs of translations to modules. */
export const translated = () => [
  {
    name: 'language of texts',
    config: () => ({ resolve: { alias: { 'dashboard-language': `${cwd}/src/lib/language.ts` } } }),
  },
  babel({
    presets: [
      {
        // Messages stay in the code in English, so that English needs no catalog.
        preset: {
          plugins: [
            ['@lingui/babel-plugin-lingui-macro', { descriptorFields: 'message', linguiConfig }],
            compiledEnglish,
          ],
        },
        rolldown: { filter: { code: /from '@lingui\/(core|react)\/macro'/ } },
      },
    ],
  }),
  lingui({ cwd }),
];
