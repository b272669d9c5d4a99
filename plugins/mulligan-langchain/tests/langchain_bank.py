"""One turn of an agent whose payments a person approves, in a process of its own: `python langchain_bank.py FILE [ANSWERS]`."""

import json
import sqlite3
import sys

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool
from langchain_script import model, says
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command
from mulligan_langchain import MulliganMiddleware, MulliganToolNode, tools_condition

TWO = says(("c1", "pay", {"amount": 1}), ("c2", "pay", {"amount": 2}), ("c3", "note", {"text": "a"}))
NEEDED = {"pay": {"approve": True}}
THREAD = {"configurable": {"thread_id": "1"}}


def bank(ran):
    @tool
    def pay(amount: int) -> str:
        """Pay."""
        ran.append(amount)
        return f"paid {amount}"

    @tool
    def note(text: str) -> str:
        """Note."""
        ran.append(text)
        return f"noted {text}"

    return [pay, note]


def agent(said, tools, saver, pipeline=None, options=NEEDED):
    middleware = MulliganMiddleware(pipeline, tool_options=options)
    return create_agent(said, tools, middleware=[middleware], checkpointer=saver)


def graph(said, tools, saver, pipeline=None, options=NEEDED):
    builder = StateGraph(MessagesState)
    builder.add_node("model", lambda state: {"messages": [said.invoke(state["messages"])]})
    builder.add_node("tools", MulliganToolNode(tools, pipeline=pipeline, tool_options=options))
    builder.add_edge(START, "model")
    builder.add_conditional_edges("model", tools_condition)
    builder.add_edge("tools", "model")
    return builder.compile(checkpointer=saver)


KINDS = {"middleware": agent, "node": graph}


def main(kind, file, *answers):
    ran = []
    connection = sqlite3.connect(file, check_same_thread=False)
    said = model(AIMessage("Done.") if answers else TWO)
    made = KINDS[kind](said, bank(ran), SqliteSaver(connection))
    end = made.invoke(Command(resume=json.loads(answers[0])) if answers else {"messages": [("human", "Pay.")]}, THREAD)
    print(
        json.dumps(
            {
                "asked": {one.id: one.value for one in end.get("__interrupt__", ())},
                "ran": ran,
                "answers": {one.tool_call_id: one.text for one in end["messages"] if isinstance(one, ToolMessage)},
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
