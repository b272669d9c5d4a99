// The TypeScript SDK's client: does what its second argument lists with the server that its third and later arguments start.
// The first argument is the folder of the SDK. Prints the results, one a line.
const [folder, requests, command, ...args] = process.argv.slice(2)
const {Client} = await import(`${folder}/dist/esm/client/index.js`)
const {StdioClientTransport} = await import(`${folder}/dist/esm/client/stdio.js`)
const {z} = await import(`${folder}/../../zod/index.js`)

const client = new Client({name: "typescript", version: "1"}, {capabilities: {}})
await client.connect(new StdioClientTransport({command, args, env: process.env, stderr: "ignore"}))
for (const request of JSON.parse(requests)) {
  try {
    console.log(JSON.stringify(await client.request(request, z.looseObject({}))))
  } catch (error) {
    console.log(JSON.stringify({code: error.code, message: error.message}))
  }
}
await client.close()
