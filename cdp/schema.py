"""Types of the Chromium DevTools protocol. Generated: do not edit.

Made by tests/tools/generate_schema.py from devtools-protocol 0.0.1734725 (BSD-3-Clause, Copyright The Chromium Authors):
browser_protocol.json sha256:cb4b0a40e03fddfdc4191f832259b9fed6684c303842c55d8c6fe1702f9a5efb
js_protocol.json sha256:3716f86e2228f9414ffff43551249bc6a5783388c3fbdba5226f14e6941774f1

Import it under TYPE_CHECKING alone. ``<Domain><Type>`` is a type, ``<Domain><Command>Result``
a command's result, ``<Domain><Event>Event`` an event's parameters. What is an enumeration in
the protocol is a plain string here: browsers add values.
"""

from __future__ import annotations

from typing import Any, NotRequired, TypeAlias, TypedDict


# Accessibility


class AccessibilityAXNode(TypedDict):
    nodeId: AccessibilityAXNodeId
    ignored: bool
    ignoredReasons: NotRequired[list[AccessibilityAXProperty]]
    role: NotRequired[AccessibilityAXValue]
    chromeRole: NotRequired[AccessibilityAXValue]
    name: NotRequired[AccessibilityAXValue]
    description: NotRequired[AccessibilityAXValue]
    value: NotRequired[AccessibilityAXValue]
    properties: NotRequired[list[AccessibilityAXProperty]]
    parentId: NotRequired[AccessibilityAXNodeId]
    childIds: NotRequired[list[AccessibilityAXNodeId]]
    backendDOMNodeId: NotRequired[DOMBackendNodeId]
    frameId: NotRequired[PageFrameId]


AccessibilityAXNodeId: TypeAlias = "str"


class AccessibilityAXProperty(TypedDict):
    name: AccessibilityAXPropertyName
    value: AccessibilityAXValue


AccessibilityAXPropertyName: TypeAlias = "str"


class AccessibilityAXRelatedNode(TypedDict):
    backendDOMNodeId: DOMBackendNodeId
    idref: NotRequired[str]
    text: NotRequired[str]


class AccessibilityAXValue(TypedDict):
    type: AccessibilityAXValueType
    value: NotRequired[Any]
    relatedNodes: NotRequired[list[AccessibilityAXRelatedNode]]
    sources: NotRequired[list[AccessibilityAXValueSource]]


AccessibilityAXValueNativeSourceType: TypeAlias = "str"


class AccessibilityAXValueSource(TypedDict):
    type: AccessibilityAXValueSourceType
    value: NotRequired[AccessibilityAXValue]
    attribute: NotRequired[str]
    attributeValue: NotRequired[AccessibilityAXValue]
    superseded: NotRequired[bool]
    nativeSource: NotRequired[AccessibilityAXValueNativeSourceType]
    nativeSourceValue: NotRequired[AccessibilityAXValue]
    invalid: NotRequired[bool]
    invalidReason: NotRequired[str]


AccessibilityAXValueSourceType: TypeAlias = "str"


AccessibilityAXValueType: TypeAlias = "str"


class AccessibilityGetAXNodeAndAncestorsResult(TypedDict):
    nodes: list[AccessibilityAXNode]


class AccessibilityGetChildAXNodesResult(TypedDict):
    nodes: list[AccessibilityAXNode]


class AccessibilityGetFullAXTreeResult(TypedDict):
    nodes: list[AccessibilityAXNode]


class AccessibilityGetPartialAXTreeResult(TypedDict):
    nodes: list[AccessibilityAXNode]


class AccessibilityGetRootAXNodeResult(TypedDict):
    node: AccessibilityAXNode


class AccessibilityQueryAXTreeResult(TypedDict):
    nodes: list[AccessibilityAXNode]


class AccessibilityLoadCompleteEvent(TypedDict):
    root: AccessibilityAXNode


class AccessibilityNodesUpdatedEvent(TypedDict):
    nodes: list[AccessibilityAXNode]


# Browser


class BrowserBounds(TypedDict):
    left: NotRequired[int]
    top: NotRequired[int]
    width: NotRequired[int]
    height: NotRequired[int]
    windowState: NotRequired[BrowserWindowState]


BrowserBrowserCommandId: TypeAlias = "str"


BrowserBrowserContextID: TypeAlias = "str"


class BrowserBucket(TypedDict):
    low: int
    high: int
    count: int


class BrowserHistogram(TypedDict):
    name: str
    sum: int
    count: int
    buckets: list[BrowserBucket]


class BrowserPermissionDescriptor(TypedDict):
    name: str
    sysex: NotRequired[bool]
    userVisibleOnly: NotRequired[bool]
    allowWithoutSanitization: NotRequired[bool]
    allowWithoutGesture: NotRequired[bool]
    panTiltZoom: NotRequired[bool]


BrowserPermissionSetting: TypeAlias = "str"


BrowserPermissionType: TypeAlias = "str"


BrowserWindowID: TypeAlias = "int"


BrowserWindowState: TypeAlias = "str"


class BrowserGetBrowserCommandLineResult(TypedDict):
    arguments: list[str]


class BrowserGetGlobalPrivacyControlResult(TypedDict):
    gpc: bool


class BrowserGetHistogramResult(TypedDict):
    histogram: BrowserHistogram


class BrowserGetHistogramsResult(TypedDict):
    histograms: list[BrowserHistogram]


class BrowserGetVersionResult(TypedDict):
    protocolVersion: str
    product: str
    revision: str
    userAgent: str
    jsVersion: str


class BrowserGetWindowBoundsResult(TypedDict):
    bounds: BrowserBounds


class BrowserGetWindowForTargetResult(TypedDict):
    windowId: BrowserWindowID
    bounds: BrowserBounds


class BrowserSetGlobalPrivacyControlResult(TypedDict):
    gpc: bool


class BrowserDownloadProgressEvent(TypedDict):
    guid: str
    totalBytes: float
    receivedBytes: float
    state: str
    filePath: NotRequired[str]


class BrowserDownloadWillBeginEvent(TypedDict):
    frameId: PageFrameId
    guid: str
    url: str
    suggestedFilename: str


# DOM


class DOMBackendNode(TypedDict):
    nodeType: int
    nodeName: str
    backendNodeId: DOMBackendNodeId


DOMBackendNodeId: TypeAlias = "int"


class DOMBoxModel(TypedDict):
    content: DOMQuad
    padding: DOMQuad
    border: DOMQuad
    margin: DOMQuad
    width: int
    height: int
    shapeOutside: NotRequired[DOMShapeOutsideInfo]


class DOMCSSComputedStyleProperty(TypedDict):
    name: str
    value: str


DOMCompatibilityMode: TypeAlias = "str"


class DOMDetachedElementInfo(TypedDict):
    treeNode: DOMNode
    retainedNodeIds: list[DOMNodeId]


DOMLogicalAxes: TypeAlias = "str"


class DOMNode(TypedDict):
    nodeId: DOMNodeId
    parentId: NotRequired[DOMNodeId]
    backendNodeId: DOMBackendNodeId
    nodeType: int
    nodeName: str
    localName: str
    nodeValue: str
    childNodeCount: NotRequired[int]
    children: NotRequired[list[DOMNode]]
    attributes: NotRequired[list[str]]
    documentURL: NotRequired[str]
    baseURL: NotRequired[str]
    publicId: NotRequired[str]
    systemId: NotRequired[str]
    internalSubset: NotRequired[str]
    xmlVersion: NotRequired[str]
    name: NotRequired[str]
    value: NotRequired[str]
    pseudoType: NotRequired[DOMPseudoType]
    pseudoIdentifier: NotRequired[str]
    shadowRootType: NotRequired[DOMShadowRootType]
    frameId: NotRequired[PageFrameId]
    contentDocument: NotRequired[DOMNode]
    shadowRoots: NotRequired[list[DOMNode]]
    templateContent: NotRequired[DOMNode]
    pseudoElements: NotRequired[list[DOMNode]]
    importedDocument: NotRequired[DOMNode]
    distributedNodes: NotRequired[list[DOMBackendNode]]
    isSVG: NotRequired[bool]
    compatibilityMode: NotRequired[DOMCompatibilityMode]
    assignedSlot: NotRequired[DOMBackendNode]
    isScrollable: NotRequired[bool]
    affectedByStartingStyles: NotRequired[bool]
    adoptedStyleSheets: NotRequired[list[DOMStyleSheetId]]
    adProvenance: NotRequired[NetworkAdProvenance]


DOMNodeId: TypeAlias = "int"


DOMPhysicalAxes: TypeAlias = "str"


DOMPseudoType: TypeAlias = "str"


DOMQuad: TypeAlias = "list[float]"


class DOMRGBA(TypedDict):
    r: int
    g: int
    b: int
    a: NotRequired[float]


class DOMRect(TypedDict):
    x: float
    y: float
    width: float
    height: float


DOMScrollOrientation: TypeAlias = "str"


DOMShadowRootType: TypeAlias = "str"


class DOMShapeOutsideInfo(TypedDict):
    bounds: DOMQuad
    shape: list[Any]
    marginShape: list[Any]


DOMStyleSheetId: TypeAlias = "str"


class DOMCollectClassNamesFromSubtreeResult(TypedDict):
    classNames: list[str]


class DOMCopyToResult(TypedDict):
    nodeId: DOMNodeId


class DOMDescribeNodeResult(TypedDict):
    node: DOMNode


class DOMForceShowPopoverResult(TypedDict):
    nodeIds: list[DOMNodeId]


class DOMGetAnchorElementResult(TypedDict):
    nodeId: DOMNodeId


class DOMGetAttributesResult(TypedDict):
    attributes: list[str]


class DOMGetBoxModelResult(TypedDict):
    model: DOMBoxModel


class DOMGetContainerForNodeResult(TypedDict):
    nodeId: NotRequired[DOMNodeId]


class DOMGetContentQuadsResult(TypedDict):
    quads: list[DOMQuad]


class DOMGetDetachedDomNodesResult(TypedDict):
    detachedNodes: list[DOMDetachedElementInfo]


class DOMGetDocumentResult(TypedDict):
    root: DOMNode


class DOMGetElementByRelationResult(TypedDict):
    nodeId: DOMNodeId


class DOMGetFileInfoResult(TypedDict):
    path: str


class DOMGetFlattenedDocumentResult(TypedDict):
    nodes: list[DOMNode]


class DOMGetFrameOwnerResult(TypedDict):
    backendNodeId: DOMBackendNodeId
    nodeId: NotRequired[DOMNodeId]


class DOMGetImplicitAnchorCandidatesResult(TypedDict):
    backendNodeIds: list[DOMBackendNodeId]


class DOMGetNodeForLocationResult(TypedDict):
    backendNodeId: DOMBackendNodeId
    frameId: PageFrameId
    nodeId: NotRequired[DOMNodeId]


class DOMGetNodeStackTracesResult(TypedDict):
    creation: NotRequired[RuntimeStackTrace]


class DOMGetNodesForSubtreeByStyleResult(TypedDict):
    nodeIds: list[DOMNodeId]


class DOMGetOuterHTMLResult(TypedDict):
    outerHTML: str


class DOMGetQueryingDescendantsForContainerResult(TypedDict):
    nodeIds: list[DOMNodeId]


class DOMGetRelayoutBoundaryResult(TypedDict):
    nodeId: DOMNodeId


class DOMGetSearchResultsResult(TypedDict):
    nodeIds: list[DOMNodeId]


class DOMGetTopLayerElementsResult(TypedDict):
    nodeIds: list[DOMNodeId]


class DOMMoveToResult(TypedDict):
    nodeId: DOMNodeId


class DOMPerformSearchResult(TypedDict):
    searchId: str
    resultCount: int


class DOMPushNodeByPathToFrontendResult(TypedDict):
    nodeId: DOMNodeId


class DOMPushNodesByBackendIdsToFrontendResult(TypedDict):
    nodeIds: list[DOMNodeId]


class DOMQuerySelectorResult(TypedDict):
    nodeId: DOMNodeId


class DOMQuerySelectorAllResult(TypedDict):
    nodeIds: list[DOMNodeId]


class DOMRequestNodeResult(TypedDict):
    nodeId: DOMNodeId


class DOMResolveNodeResult(TypedDict):
    object: RuntimeRemoteObject


class DOMSetNodeNameResult(TypedDict):
    nodeId: DOMNodeId


class DOMAdRelatedStateUpdatedEvent(TypedDict):
    nodeId: DOMNodeId
    adProvenance: NotRequired[NetworkAdProvenance]


class DOMAdoptedStyleSheetsModifiedEvent(TypedDict):
    nodeId: DOMNodeId
    adoptedStyleSheets: list[DOMStyleSheetId]


class DOMAffectedByStartingStylesFlagUpdatedEvent(TypedDict):
    nodeId: DOMNodeId
    affectedByStartingStyles: bool


class DOMAttributeModifiedEvent(TypedDict):
    nodeId: DOMNodeId
    name: str
    value: str


class DOMAttributeRemovedEvent(TypedDict):
    nodeId: DOMNodeId
    name: str


class DOMCharacterDataModifiedEvent(TypedDict):
    nodeId: DOMNodeId
    characterData: str


class DOMChildNodeCountUpdatedEvent(TypedDict):
    nodeId: DOMNodeId
    childNodeCount: int


class DOMChildNodeInsertedEvent(TypedDict):
    parentNodeId: DOMNodeId
    previousNodeId: DOMNodeId
    node: DOMNode


class DOMChildNodeRemovedEvent(TypedDict):
    parentNodeId: DOMNodeId
    nodeId: DOMNodeId


class DOMDistributedNodesUpdatedEvent(TypedDict):
    insertionPointId: DOMNodeId
    distributedNodes: list[DOMBackendNode]


class DOMDocumentUpdatedEvent(TypedDict):
    pass


class DOMInlineStyleInvalidatedEvent(TypedDict):
    nodeIds: list[DOMNodeId]


class DOMPseudoElementAddedEvent(TypedDict):
    parentId: DOMNodeId
    pseudoElement: DOMNode


class DOMPseudoElementRemovedEvent(TypedDict):
    parentId: DOMNodeId
    pseudoElementId: DOMNodeId


class DOMScrollableFlagUpdatedEvent(TypedDict):
    nodeId: DOMNodeId
    isScrollable: bool


class DOMSetChildNodesEvent(TypedDict):
    parentId: DOMNodeId
    nodes: list[DOMNode]


class DOMShadowRootPoppedEvent(TypedDict):
    hostId: DOMNodeId
    rootId: DOMNodeId


class DOMShadowRootPushedEvent(TypedDict):
    hostId: DOMNodeId
    root: DOMNode


class DOMTopLayerElementsUpdatedEvent(TypedDict):
    pass


# Debugger


class DebuggerSearchMatch(TypedDict):
    lineNumber: float
    lineContent: str


# Emulation


class EmulationDevicePosture(TypedDict):
    type: str


EmulationDisabledImageType: TypeAlias = "str"


class EmulationDisplayFeature(TypedDict):
    orientation: str
    offset: int
    maskLength: int


class EmulationMediaFeature(TypedDict):
    name: str
    value: str


class EmulationPressureMetadata(TypedDict):
    available: NotRequired[bool]


EmulationPressureSource: TypeAlias = "str"


EmulationPressureState: TypeAlias = "str"


class EmulationSafeAreaInsets(TypedDict):
    top: NotRequired[int]
    topMax: NotRequired[int]
    left: NotRequired[int]
    leftMax: NotRequired[int]
    bottom: NotRequired[int]
    bottomMax: NotRequired[int]
    right: NotRequired[int]
    rightMax: NotRequired[int]


EmulationScreenId: TypeAlias = "str"


class EmulationScreenInfo(TypedDict):
    left: int
    top: int
    width: int
    height: int
    availLeft: int
    availTop: int
    availWidth: int
    availHeight: int
    devicePixelRatio: float
    orientation: EmulationScreenOrientation
    colorDepth: int
    isExtended: bool
    isInternal: bool
    isPrimary: bool
    label: str
    id: EmulationScreenId


class EmulationScreenOrientation(TypedDict):
    type: str
    angle: int


class EmulationSensorMetadata(TypedDict):
    available: NotRequired[bool]
    minimumFrequency: NotRequired[float]
    maximumFrequency: NotRequired[float]


class EmulationSensorReading(TypedDict):
    single: NotRequired[EmulationSensorReadingSingle]
    xyz: NotRequired[EmulationSensorReadingXYZ]
    quaternion: NotRequired[EmulationSensorReadingQuaternion]


class EmulationSensorReadingQuaternion(TypedDict):
    x: float
    y: float
    z: float
    w: float


class EmulationSensorReadingSingle(TypedDict):
    value: float


class EmulationSensorReadingXYZ(TypedDict):
    x: float
    y: float
    z: float


EmulationSensorType: TypeAlias = "str"


class EmulationUserAgentBrandVersion(TypedDict):
    brand: str
    version: str


class EmulationUserAgentMetadata(TypedDict):
    brands: NotRequired[list[EmulationUserAgentBrandVersion]]
    fullVersionList: NotRequired[list[EmulationUserAgentBrandVersion]]
    fullVersion: NotRequired[str]
    platform: str
    platformVersion: str
    architecture: str
    model: str
    mobile: bool
    bitness: NotRequired[str]
    wow64: NotRequired[bool]
    formFactors: NotRequired[list[str]]


EmulationVirtualTimePolicy: TypeAlias = "str"


class EmulationWorkAreaInsets(TypedDict):
    top: NotRequired[int]
    left: NotRequired[int]
    bottom: NotRequired[int]
    right: NotRequired[int]


class EmulationAddScreenResult(TypedDict):
    screenInfo: EmulationScreenInfo


class EmulationCanEmulateResult(TypedDict):
    result: bool


class EmulationGetOverriddenSensorInformationResult(TypedDict):
    requestedSamplingFrequency: float


class EmulationGetScreenInfosResult(TypedDict):
    screenInfos: list[EmulationScreenInfo]


class EmulationSetVirtualTimePolicyResult(TypedDict):
    virtualTimeTicksBase: float


class EmulationUpdateScreenResult(TypedDict):
    screenInfo: EmulationScreenInfo


class EmulationScreenOrientationLockChangedEvent(TypedDict):
    locked: bool
    orientation: NotRequired[EmulationScreenOrientation]


class EmulationVirtualTimeBudgetExpiredEvent(TypedDict):
    pass


# Fetch


class FetchAuthChallenge(TypedDict):
    source: NotRequired[str]
    origin: str
    scheme: str
    realm: str


class FetchAuthChallengeResponse(TypedDict):
    response: str
    username: NotRequired[str]
    password: NotRequired[str]


class FetchHeaderEntry(TypedDict):
    name: str
    value: str


FetchRequestId: TypeAlias = "str"


class FetchRequestPattern(TypedDict):
    urlPattern: NotRequired[str]
    resourceType: NotRequired[NetworkResourceType]
    requestStage: NotRequired[FetchRequestStage]


FetchRequestStage: TypeAlias = "str"


class FetchGetResponseBodyResult(TypedDict):
    body: str
    base64Encoded: bool


class FetchTakeResponseBodyAsStreamResult(TypedDict):
    stream: IOStreamHandle


class FetchAuthRequiredEvent(TypedDict):
    requestId: FetchRequestId
    request: NetworkRequest
    frameId: PageFrameId
    resourceType: NetworkResourceType
    authChallenge: FetchAuthChallenge


class FetchRequestPausedEvent(TypedDict):
    requestId: FetchRequestId
    request: NetworkRequest
    frameId: PageFrameId
    resourceType: NetworkResourceType
    responseErrorReason: NotRequired[NetworkErrorReason]
    responseStatusCode: NotRequired[int]
    responseStatusText: NotRequired[str]
    responseHeaders: NotRequired[list[FetchHeaderEntry]]
    networkId: NotRequired[NetworkRequestId]
    redirectedRequestId: NotRequired[FetchRequestId]


# IO


IOStreamHandle: TypeAlias = "str"


# Input


class InputDragData(TypedDict):
    items: list[InputDragDataItem]
    files: NotRequired[list[str]]
    dragOperationsMask: int


class InputDragDataItem(TypedDict):
    mimeType: str
    data: str
    title: NotRequired[str]
    baseURL: NotRequired[str]


InputGestureSourceType: TypeAlias = "str"


InputMouseButton: TypeAlias = "str"


InputTimeSinceEpoch: TypeAlias = "float"


class InputTouchPoint(TypedDict):
    x: float
    y: float
    radiusX: NotRequired[float]
    radiusY: NotRequired[float]
    rotationAngle: NotRequired[float]
    force: NotRequired[float]
    tangentialPressure: NotRequired[float]
    tiltX: NotRequired[float]
    tiltY: NotRequired[float]
    twist: NotRequired[int]
    id: NotRequired[float]


class InputDragInterceptedEvent(TypedDict):
    data: InputDragData


# Inspector


class InspectorDetachedEvent(TypedDict):
    reason: str


class InspectorTargetCrashedEvent(TypedDict):
    pass


class InspectorTargetReloadedAfterCrashEvent(TypedDict):
    pass


class InspectorWorkerScriptLoadedEvent(TypedDict):
    pass


# Network


class NetworkAdAncestry(TypedDict):
    ancestryChain: list[NetworkAdScriptIdentifier]
    rootScriptFilterlistRule: NotRequired[str]


class NetworkAdProvenance(TypedDict):
    filterlistRule: NotRequired[str]
    adScriptAncestry: NotRequired[NetworkAdAncestry]


class NetworkAdScriptIdentifier(TypedDict):
    scriptId: RuntimeScriptId
    debuggerId: RuntimeUniqueDebuggerId
    name: str


NetworkErrorReason: TypeAlias = "str"


NetworkHeaders: TypeAlias = "dict[str, Any]"


NetworkLoaderId: TypeAlias = "str"


NetworkMonotonicTime: TypeAlias = "float"


class NetworkPostDataEntry(TypedDict):
    bytes: NotRequired[str]


class NetworkRequest(TypedDict):
    url: str
    urlFragment: NotRequired[str]
    method: str
    headers: NetworkHeaders
    postData: NotRequired[str]
    hasPostData: NotRequired[bool]
    postDataEntries: NotRequired[list[NetworkPostDataEntry]]
    mixedContentType: NotRequired[SecurityMixedContentType]
    initialPriority: NetworkResourcePriority
    referrerPolicy: str
    isLinkPreload: NotRequired[bool]
    trustTokenParams: NotRequired[NetworkTrustTokenParams]
    isSameSite: NotRequired[bool]
    isAdRelated: NotRequired[bool]


NetworkRequestId: TypeAlias = "str"


NetworkResourcePriority: TypeAlias = "str"


NetworkResourceType: TypeAlias = "str"


NetworkTimeSinceEpoch: TypeAlias = "float"


NetworkTrustTokenOperationType: TypeAlias = "str"


class NetworkTrustTokenParams(TypedDict):
    operation: NetworkTrustTokenOperationType
    refreshPolicy: str
    issuers: NotRequired[list[str]]


# Page


PageAdFrameExplanation: TypeAlias = "str"


class PageAdFrameStatus(TypedDict):
    adFrameType: PageAdFrameType
    explanations: NotRequired[list[PageAdFrameExplanation]]


PageAdFrameType: TypeAlias = "str"


class PageAppManifestError(TypedDict):
    message: str
    critical: int
    line: int
    column: int


class PageAppManifestParsedProperties(TypedDict):
    scope: str


class PageBackForwardCacheBlockingDetails(TypedDict):
    url: NotRequired[str]
    function: NotRequired[str]
    lineNumber: int
    columnNumber: int


class PageBackForwardCacheNotRestoredExplanation(TypedDict):
    type: PageBackForwardCacheNotRestoredReasonType
    reason: PageBackForwardCacheNotRestoredReason
    context: NotRequired[str]
    details: NotRequired[list[PageBackForwardCacheBlockingDetails]]


class PageBackForwardCacheNotRestoredExplanationTree(TypedDict):
    url: str
    explanations: list[PageBackForwardCacheNotRestoredExplanation]
    children: list[PageBackForwardCacheNotRestoredExplanationTree]


PageBackForwardCacheNotRestoredReason: TypeAlias = "str"


PageBackForwardCacheNotRestoredReasonType: TypeAlias = "str"


PageClientNavigationDisposition: TypeAlias = "str"


PageClientNavigationReason: TypeAlias = "str"


class PageCompilationCacheParams(TypedDict):
    url: str
    eager: NotRequired[bool]


PageCrossOriginIsolatedContextType: TypeAlias = "str"


PageDialogType: TypeAlias = "str"


class PageFileFilter(TypedDict):
    name: NotRequired[str]
    accepts: NotRequired[list[str]]


class PageFileHandler(TypedDict):
    action: str
    name: str
    accepts: NotRequired[list[PageFileFilter]]
    launchType: str


class PageFontFamilies(TypedDict):
    standard: NotRequired[str]
    fixed: NotRequired[str]
    serif: NotRequired[str]
    sansSerif: NotRequired[str]
    cursive: NotRequired[str]
    fantasy: NotRequired[str]
    math: NotRequired[str]


class PageFontSizes(TypedDict):
    standard: NotRequired[int]
    fixed: NotRequired[int]


class PageFrame(TypedDict):
    id: PageFrameId
    parentId: NotRequired[PageFrameId]
    loaderId: NetworkLoaderId
    name: NotRequired[str]
    url: str
    urlFragment: NotRequired[str]
    domainAndRegistry: str
    securityOrigin: str
    securityOriginDetails: NotRequired[PageSecurityOriginDetails]
    mimeType: str
    unreachableUrl: NotRequired[str]
    adFrameStatus: NotRequired[PageAdFrameStatus]
    secureContextType: PageSecureContextType
    crossOriginIsolatedContextType: PageCrossOriginIsolatedContextType
    gatedAPIFeatures: list[PageGatedAPIFeatures]


PageFrameId: TypeAlias = "str"


class PageFrameResource(TypedDict):
    url: str
    type: NetworkResourceType
    mimeType: str
    lastModified: NotRequired[NetworkTimeSinceEpoch]
    contentSize: NotRequired[float]
    failed: NotRequired[bool]
    canceled: NotRequired[bool]


class PageFrameResourceTree(TypedDict):
    frame: PageFrame
    childFrames: NotRequired[list[PageFrameResourceTree]]
    resources: list[PageFrameResource]


class PageFrameTree(TypedDict):
    frame: PageFrame
    childFrames: NotRequired[list[PageFrameTree]]


PageGatedAPIFeatures: TypeAlias = "str"


class PageImageResource(TypedDict):
    url: str
    sizes: NotRequired[str]
    type: NotRequired[str]


class PageInstallabilityError(TypedDict):
    errorId: str
    errorArguments: list[PageInstallabilityErrorArgument]


class PageInstallabilityErrorArgument(TypedDict):
    name: str
    value: str


class PageLaunchHandler(TypedDict):
    clientMode: str


class PageLayoutViewport(TypedDict):
    pageX: int
    pageY: int
    clientWidth: int
    clientHeight: int


class PageNavigationEntry(TypedDict):
    id: int
    url: str
    userTypedURL: str
    title: str
    transitionType: PageTransitionType


PageNavigationType: TypeAlias = "str"


class PageOriginTrial(TypedDict):
    trialName: str
    status: PageOriginTrialStatus
    tokensWithStatus: list[PageOriginTrialTokenWithStatus]


PageOriginTrialStatus: TypeAlias = "str"


class PageOriginTrialToken(TypedDict):
    origin: str
    matchSubDomains: bool
    trialName: str
    expiryTime: NetworkTimeSinceEpoch
    isThirdParty: bool
    usageRestriction: PageOriginTrialUsageRestriction


PageOriginTrialTokenStatus: TypeAlias = "str"


class PageOriginTrialTokenWithStatus(TypedDict):
    rawTokenText: str
    parsedToken: NotRequired[PageOriginTrialToken]
    status: PageOriginTrialTokenStatus


PageOriginTrialUsageRestriction: TypeAlias = "str"


class PagePermissionsPolicyBlockLocator(TypedDict):
    frameId: PageFrameId
    blockReason: PagePermissionsPolicyBlockReason


PagePermissionsPolicyBlockReason: TypeAlias = "str"


PagePermissionsPolicyFeature: TypeAlias = "str"


class PagePermissionsPolicyFeatureState(TypedDict):
    feature: PagePermissionsPolicyFeature
    allowed: bool
    locator: NotRequired[PagePermissionsPolicyBlockLocator]


class PageProtocolHandler(TypedDict):
    protocol: str
    url: str


PageReferrerPolicy: TypeAlias = "str"


class PageRelatedApplication(TypedDict):
    id: NotRequired[str]
    url: str


class PageScopeExtension(TypedDict):
    origin: str
    hasOriginWildcard: bool


class PageScreencastFrameMetadata(TypedDict):
    offsetTop: float
    pageScaleFactor: float
    deviceWidth: float
    deviceHeight: float
    scrollOffsetX: float
    scrollOffsetY: float
    timestamp: NotRequired[NetworkTimeSinceEpoch]
    monotonicTimestamp: NotRequired[NetworkMonotonicTime]


class PageScreenshot(TypedDict):
    image: PageImageResource
    formFactor: str
    label: NotRequired[str]


class PageScriptFontFamilies(TypedDict):
    script: str
    fontFamilies: PageFontFamilies


PageScriptIdentifier: TypeAlias = "str"


PageSecureContextType: TypeAlias = "str"


class PageSecurityOriginDetails(TypedDict):
    isLocalhost: bool


class PageShareTarget(TypedDict):
    action: str
    method: str
    enctype: str
    title: NotRequired[str]
    text: NotRequired[str]
    url: NotRequired[str]
    files: NotRequired[list[PageFileFilter]]


class PageShortcut(TypedDict):
    name: str
    url: str


class PageSubApp(TypedDict):
    name: str
    scope: str
    manifestId: str
    startUrl: str


PageTransitionType: TypeAlias = "str"


class PageViewport(TypedDict):
    x: float
    y: float
    width: float
    height: float
    scale: float


class PageVisualViewport(TypedDict):
    offsetX: float
    offsetY: float
    pageX: float
    pageY: float
    clientWidth: float
    clientHeight: float
    scale: float
    zoom: NotRequired[float]


class PageWebAppManifest(TypedDict):
    backgroundColor: NotRequired[str]
    description: NotRequired[str]
    dir: NotRequired[str]
    display: NotRequired[str]
    displayOverrides: NotRequired[list[str]]
    fileHandlers: NotRequired[list[PageFileHandler]]
    icons: NotRequired[list[PageImageResource]]
    id: NotRequired[str]
    lang: NotRequired[str]
    launchHandler: NotRequired[PageLaunchHandler]
    name: NotRequired[str]
    orientation: NotRequired[str]
    preferRelatedApplications: NotRequired[bool]
    protocolHandlers: NotRequired[list[PageProtocolHandler]]
    relatedApplications: NotRequired[list[PageRelatedApplication]]
    scope: NotRequired[str]
    scopeExtensions: NotRequired[list[PageScopeExtension]]
    screenshots: NotRequired[list[PageScreenshot]]
    shareTarget: NotRequired[PageShareTarget]
    shortName: NotRequired[str]
    shortcuts: NotRequired[list[PageShortcut]]
    startUrl: NotRequired[str]
    themeColor: NotRequired[str]


class PageAddScriptToEvaluateOnLoadResult(TypedDict):
    identifier: PageScriptIdentifier


class PageAddScriptToEvaluateOnNewDocumentResult(TypedDict):
    identifier: PageScriptIdentifier


class PageCaptureScreenshotResult(TypedDict):
    data: str


class PageCaptureSnapshotResult(TypedDict):
    data: str


class PageCreateIsolatedWorldResult(TypedDict):
    executionContextId: RuntimeExecutionContextId


class PageGetAdScriptAncestryResult(TypedDict):
    adScriptAncestry: NotRequired[NetworkAdAncestry]


class PageGetAnnotatedPageContentResult(TypedDict):
    content: str


class PageGetAppIdResult(TypedDict):
    appId: NotRequired[str]
    recommendedId: NotRequired[str]
    bundleId: NotRequired[str]
    parentAppName: NotRequired[str]


class PageGetAppManifestResult(TypedDict):
    url: str
    errors: list[PageAppManifestError]
    data: NotRequired[str]
    parsed: NotRequired[PageAppManifestParsedProperties]
    manifest: PageWebAppManifest


class PageGetFrameTreeResult(TypedDict):
    frameTree: PageFrameTree


class PageGetInstallabilityErrorsResult(TypedDict):
    installabilityErrors: list[PageInstallabilityError]


class PageGetLayoutMetricsResult(TypedDict):
    layoutViewport: PageLayoutViewport
    visualViewport: PageVisualViewport
    contentSize: DOMRect
    cssLayoutViewport: PageLayoutViewport
    cssVisualViewport: PageVisualViewport
    cssContentSize: DOMRect


class PageGetManifestIconsResult(TypedDict):
    primaryIcon: NotRequired[str]


class PageGetNavigationHistoryResult(TypedDict):
    currentIndex: int
    entries: list[PageNavigationEntry]


class PageGetOriginTrialsResult(TypedDict):
    originTrials: list[PageOriginTrial]


class PageGetPermissionsPolicyStateResult(TypedDict):
    states: list[PagePermissionsPolicyFeatureState]


class PageGetResourceContentResult(TypedDict):
    content: str
    base64Encoded: bool


class PageGetResourceTreeResult(TypedDict):
    frameTree: PageFrameResourceTree


class PageGetSiblingSubAppsResult(TypedDict):
    subApps: list[PageSubApp]


class PageGetSpellCheckCustomDictionaryResult(TypedDict):
    words: list[str]


class PageGetSubAppsResult(TypedDict):
    subApps: list[PageSubApp]


class PageNavigateResult(TypedDict):
    frameId: PageFrameId
    loaderId: NotRequired[NetworkLoaderId]
    errorText: NotRequired[str]
    isDownload: NotRequired[bool]


class PagePrintToPDFResult(TypedDict):
    data: str
    stream: NotRequired[IOStreamHandle]


class PageSearchInResourceResult(TypedDict):
    result: list[DebuggerSearchMatch]


class PageStartScreenRecordingResult(TypedDict):
    stream: IOStreamHandle


class PageStopScreenRecordingResult(TypedDict):
    stream: IOStreamHandle


class PageBackForwardCacheNotUsedEvent(TypedDict):
    loaderId: NetworkLoaderId
    frameId: PageFrameId
    notRestoredExplanations: list[PageBackForwardCacheNotRestoredExplanation]
    notRestoredExplanationsTree: NotRequired[PageBackForwardCacheNotRestoredExplanationTree]


class PageCompilationCacheProducedEvent(TypedDict):
    url: str
    data: str


class PageDocumentOpenedEvent(TypedDict):
    frame: PageFrame


class PageDomContentEventFiredEvent(TypedDict):
    timestamp: NetworkMonotonicTime


class PageDownloadProgressEvent(TypedDict):
    guid: str
    totalBytes: float
    receivedBytes: float
    state: str


class PageDownloadWillBeginEvent(TypedDict):
    frameId: PageFrameId
    guid: str
    url: str
    suggestedFilename: str


class PageFileChooserOpenedEvent(TypedDict):
    frameId: PageFrameId
    mode: str
    backendNodeId: NotRequired[DOMBackendNodeId]


class PageFrameAttachedEvent(TypedDict):
    frameId: PageFrameId
    parentFrameId: PageFrameId
    stack: NotRequired[RuntimeStackTrace]


class PageFrameClearedScheduledNavigationEvent(TypedDict):
    frameId: PageFrameId


class PageFrameDetachedEvent(TypedDict):
    frameId: PageFrameId
    reason: str


class PageFrameNavigatedEvent(TypedDict):
    frame: PageFrame
    type: PageNavigationType


class PageFrameRequestedNavigationEvent(TypedDict):
    frameId: PageFrameId
    reason: PageClientNavigationReason
    url: str
    disposition: PageClientNavigationDisposition


class PageFrameResizedEvent(TypedDict):
    pass


class PageFrameScheduledNavigationEvent(TypedDict):
    frameId: PageFrameId
    delay: float
    reason: PageClientNavigationReason
    url: str


class PageFrameStartedLoadingEvent(TypedDict):
    frameId: PageFrameId


class PageFrameStartedNavigatingEvent(TypedDict):
    frameId: PageFrameId
    url: str
    loaderId: NetworkLoaderId
    navigationType: str


class PageFrameStoppedLoadingEvent(TypedDict):
    frameId: PageFrameId


class PageFrameSubtreeWillBeDetachedEvent(TypedDict):
    frameId: PageFrameId


class PageInterstitialHiddenEvent(TypedDict):
    pass


class PageInterstitialShownEvent(TypedDict):
    pass


class PageJavascriptDialogClosedEvent(TypedDict):
    frameId: PageFrameId
    result: bool
    userInput: str


class PageJavascriptDialogOpeningEvent(TypedDict):
    url: str
    frameId: PageFrameId
    message: str
    type: PageDialogType
    hasBrowserHandler: bool
    defaultPrompt: NotRequired[str]


class PageLifecycleEventEvent(TypedDict):
    frameId: PageFrameId
    loaderId: NetworkLoaderId
    name: str
    timestamp: NetworkMonotonicTime


class PageLoadEventFiredEvent(TypedDict):
    timestamp: NetworkMonotonicTime


class PageNavigatedWithinDocumentEvent(TypedDict):
    frameId: PageFrameId
    url: str
    navigationType: str


class PageScreencastFrameEvent(TypedDict):
    data: str
    metadata: PageScreencastFrameMetadata
    sessionId: int


class PageScreencastVisibilityChangedEvent(TypedDict):
    visible: bool


class PageWindowOpenEvent(TypedDict):
    url: str
    windowName: str
    windowFeatures: list[str]
    userGesture: bool


# Runtime


class RuntimeCallArgument(TypedDict):
    value: NotRequired[Any]
    unserializableValue: NotRequired[RuntimeUnserializableValue]
    objectId: NotRequired[RuntimeRemoteObjectId]


class RuntimeCallFrame(TypedDict):
    functionName: str
    scriptId: RuntimeScriptId
    url: str
    lineNumber: int
    columnNumber: int


class RuntimeCustomPreview(TypedDict):
    header: str
    bodyGetterId: NotRequired[RuntimeRemoteObjectId]


class RuntimeDeepSerializedValue(TypedDict):
    type: str
    value: NotRequired[Any]
    objectId: NotRequired[str]
    weakLocalObjectReference: NotRequired[int]


class RuntimeEntryPreview(TypedDict):
    key: NotRequired[RuntimeObjectPreview]
    value: RuntimeObjectPreview


class RuntimeExceptionDetails(TypedDict):
    exceptionId: int
    text: str
    lineNumber: int
    columnNumber: int
    scriptId: NotRequired[RuntimeScriptId]
    url: NotRequired[str]
    stackTrace: NotRequired[RuntimeStackTrace]
    exception: NotRequired[RuntimeRemoteObject]
    executionContextId: NotRequired[RuntimeExecutionContextId]
    exceptionMetaData: NotRequired[dict[str, Any]]


class RuntimeExecutionContextDescription(TypedDict):
    id: RuntimeExecutionContextId
    origin: str
    name: str
    uniqueId: str
    auxData: NotRequired[dict[str, Any]]


RuntimeExecutionContextId: TypeAlias = "int"


class RuntimeInternalPropertyDescriptor(TypedDict):
    name: str
    value: NotRequired[RuntimeRemoteObject]


class RuntimeObjectPreview(TypedDict):
    type: str
    subtype: NotRequired[str]
    description: NotRequired[str]
    overflow: bool
    properties: list[RuntimePropertyPreview]
    entries: NotRequired[list[RuntimeEntryPreview]]


class RuntimePrivatePropertyDescriptor(TypedDict):
    name: str
    value: NotRequired[RuntimeRemoteObject]
    get: NotRequired[RuntimeRemoteObject]
    set: NotRequired[RuntimeRemoteObject]


class RuntimePropertyDescriptor(TypedDict):
    name: str
    value: NotRequired[RuntimeRemoteObject]
    writable: NotRequired[bool]
    get: NotRequired[RuntimeRemoteObject]
    set: NotRequired[RuntimeRemoteObject]
    configurable: bool
    enumerable: bool
    wasThrown: NotRequired[bool]
    isOwn: NotRequired[bool]
    symbol: NotRequired[RuntimeRemoteObject]


class RuntimePropertyPreview(TypedDict):
    name: str
    type: str
    value: NotRequired[str]
    valuePreview: NotRequired[RuntimeObjectPreview]
    subtype: NotRequired[str]


class RuntimeRemoteObject(TypedDict):
    type: str
    subtype: NotRequired[str]
    className: NotRequired[str]
    value: NotRequired[Any]
    unserializableValue: NotRequired[RuntimeUnserializableValue]
    description: NotRequired[str]
    deepSerializedValue: NotRequired[RuntimeDeepSerializedValue]
    objectId: NotRequired[RuntimeRemoteObjectId]
    preview: NotRequired[RuntimeObjectPreview]
    customPreview: NotRequired[RuntimeCustomPreview]


RuntimeRemoteObjectId: TypeAlias = "str"


RuntimeScriptId: TypeAlias = "str"


class RuntimeSerializationOptions(TypedDict):
    serialization: str
    maxDepth: NotRequired[int]
    additionalParameters: NotRequired[dict[str, Any]]


class RuntimeStackTrace(TypedDict):
    description: NotRequired[str]
    callFrames: list[RuntimeCallFrame]
    parent: NotRequired[RuntimeStackTrace]
    parentId: NotRequired[RuntimeStackTraceId]


class RuntimeStackTraceId(TypedDict):
    id: str
    debuggerId: NotRequired[RuntimeUniqueDebuggerId]


RuntimeTimeDelta: TypeAlias = "float"


RuntimeTimestamp: TypeAlias = "float"


RuntimeUniqueDebuggerId: TypeAlias = "str"


RuntimeUnserializableValue: TypeAlias = "str"


class RuntimeAwaitPromiseResult(TypedDict):
    result: RuntimeRemoteObject
    exceptionDetails: NotRequired[RuntimeExceptionDetails]


class RuntimeCallFunctionOnResult(TypedDict):
    result: RuntimeRemoteObject
    exceptionDetails: NotRequired[RuntimeExceptionDetails]


class RuntimeCompileScriptResult(TypedDict):
    scriptId: NotRequired[RuntimeScriptId]
    exceptionDetails: NotRequired[RuntimeExceptionDetails]


class RuntimeEvaluateResult(TypedDict):
    result: RuntimeRemoteObject
    exceptionDetails: NotRequired[RuntimeExceptionDetails]


class RuntimeGetExceptionDetailsResult(TypedDict):
    exceptionDetails: NotRequired[RuntimeExceptionDetails]


class RuntimeGetHeapUsageResult(TypedDict):
    usedSize: float
    totalSize: float
    embedderHeapUsedSize: float
    backingStorageSize: float


class RuntimeGetIsolateIdResult(TypedDict):
    id: str


class RuntimeGetPropertiesResult(TypedDict):
    result: list[RuntimePropertyDescriptor]
    internalProperties: NotRequired[list[RuntimeInternalPropertyDescriptor]]
    privateProperties: NotRequired[list[RuntimePrivatePropertyDescriptor]]
    exceptionDetails: NotRequired[RuntimeExceptionDetails]


class RuntimeGlobalLexicalScopeNamesResult(TypedDict):
    names: list[str]


class RuntimeQueryObjectsResult(TypedDict):
    objects: RuntimeRemoteObject


class RuntimeRunScriptResult(TypedDict):
    result: RuntimeRemoteObject
    exceptionDetails: NotRequired[RuntimeExceptionDetails]


class RuntimeBindingCalledEvent(TypedDict):
    name: str
    payload: str
    executionContextId: RuntimeExecutionContextId


class RuntimeConsoleAPICalledEvent(TypedDict):
    type: str
    args: list[RuntimeRemoteObject]
    executionContextId: RuntimeExecutionContextId
    timestamp: RuntimeTimestamp
    stackTrace: NotRequired[RuntimeStackTrace]
    context: NotRequired[str]


class RuntimeExceptionRevokedEvent(TypedDict):
    reason: str
    exceptionId: int


class RuntimeExceptionThrownEvent(TypedDict):
    timestamp: RuntimeTimestamp
    exceptionDetails: RuntimeExceptionDetails


class RuntimeExecutionContextCreatedEvent(TypedDict):
    context: RuntimeExecutionContextDescription


class RuntimeExecutionContextDestroyedEvent(TypedDict):
    executionContextId: RuntimeExecutionContextId
    executionContextUniqueId: str


class RuntimeExecutionContextsClearedEvent(TypedDict):
    pass


class RuntimeInspectRequestedEvent(TypedDict):
    object: RuntimeRemoteObject
    hints: dict[str, Any]
    executionContextId: NotRequired[RuntimeExecutionContextId]


# Security


SecurityMixedContentType: TypeAlias = "str"


# Target


class TargetFilterEntry(TypedDict):
    exclude: NotRequired[bool]
    type: NotRequired[str]


class TargetRemoteLocation(TypedDict):
    host: str
    port: int


TargetSessionID: TypeAlias = "str"


TargetTargetFilter: TypeAlias = "list[TargetFilterEntry]"


TargetTargetID: TypeAlias = "str"


class TargetTargetInfo(TypedDict):
    targetId: TargetTargetID
    type: str
    title: str
    url: str
    attached: bool
    parentId: NotRequired[TargetTargetID]
    openerId: NotRequired[TargetTargetID]
    canAccessOpener: bool
    openerFrameId: NotRequired[PageFrameId]
    parentFrameId: NotRequired[PageFrameId]
    browserContextId: NotRequired[BrowserBrowserContextID]
    subtype: NotRequired[str]
    embedderData: NotRequired[dict[str, Any]]


TargetWindowState: TypeAlias = "str"


class TargetAttachToBrowserTargetResult(TypedDict):
    sessionId: TargetSessionID


class TargetAttachToTargetResult(TypedDict):
    sessionId: TargetSessionID


class TargetCloseTargetResult(TypedDict):
    success: bool


class TargetCreateBrowserContextResult(TypedDict):
    browserContextId: BrowserBrowserContextID


class TargetCreateTargetResult(TypedDict):
    targetId: TargetTargetID


class TargetGetBrowserContextsResult(TypedDict):
    browserContextIds: list[BrowserBrowserContextID]
    defaultBrowserContextId: NotRequired[BrowserBrowserContextID]


class TargetGetDevToolsTargetResult(TypedDict):
    targetId: NotRequired[TargetTargetID]


class TargetGetTargetInfoResult(TypedDict):
    targetInfo: TargetTargetInfo


class TargetGetTargetsResult(TypedDict):
    targetInfos: list[TargetTargetInfo]


class TargetOpenDevToolsResult(TypedDict):
    targetId: TargetTargetID


class TargetAttachedToTargetEvent(TypedDict):
    sessionId: TargetSessionID
    targetInfo: TargetTargetInfo
    waitingForDebugger: bool


class TargetDetachedFromTargetEvent(TypedDict):
    sessionId: TargetSessionID
    targetId: NotRequired[TargetTargetID]


class TargetReceivedMessageFromTargetEvent(TypedDict):
    sessionId: TargetSessionID
    message: str
    targetId: NotRequired[TargetTargetID]


class TargetTargetCrashedEvent(TypedDict):
    targetId: TargetTargetID
    status: str
    errorCode: int


class TargetTargetCreatedEvent(TypedDict):
    targetInfo: TargetTargetInfo


class TargetTargetDestroyedEvent(TypedDict):
    targetId: TargetTargetID


class TargetTargetInfoChangedEvent(TypedDict):
    targetInfo: TargetTargetInfo
