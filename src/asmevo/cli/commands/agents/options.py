"""Options of the driver `llm`."""

from __future__ import annotations

from typing import Annotated

import typer

Model = Annotated[str | None, typer.Option("--model", help="of --driver llm")]
Endpoint = Annotated[
    str | None, typer.Option("--endpoint", help="of the model, e.g. http://127.0.0.1:8000/v1")
]
Starts = Annotated[int, typer.Option("--starts", min=1, help="starts of the agent")]
First = Annotated[
    int | None, typer.Option("--first", min=0, help="attempts of the rules before the agent")
]
Time = Annotated[float | None, typer.Option("--time", help="most seconds of the agent")]
Tokens = Annotated[int | None, typer.Option("--tokens", help="most tokens of the agent")]
Usd = Annotated[float | None, typer.Option("--usd", help="most dollars of the agent")]
PriceIn = Annotated[
    float | None, typer.Option("--price-in", help="dollars for a million tokens sent")
]
PriceOut = Annotated[
    float | None, typer.Option("--price-out", help="dollars for a million tokens received")
]
AnswerTokens = Annotated[int, typer.Option("--answer-tokens", min=1, help="most tokens an answer")]
CallTime = Annotated[float, typer.Option("--call-time", help="most seconds of one call")]
