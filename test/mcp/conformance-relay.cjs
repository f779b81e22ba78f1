/**
 * What the conformance suite starts for each scenario, with the test's port and the address of the suite's
 * server: it hands the scenario to the test, where the bridge is loaded already, and waits for the end.
 * Old-fashioned, because that starts in a third of the time, and the suite starts it for every scenario.
 */
const { connect } = require("node:net")

const [port, url] = process.argv.slice(2)
const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_CONTEXT: context = "{}" } = process.env
const test = connect(Number(port), "127.0.0.1")
test.end(JSON.stringify({ url, scenario, context: JSON.parse(context) }))
test.pipe(process.stdout)
